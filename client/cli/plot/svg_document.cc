#include "client/cli/plot/svg_document.h"

#include <array>
#include <charconv>
#include <utility>

#include "client/cli/formats/xml_text.h"

namespace torqued::cli {
namespace {

std::string Pixels(double value) {
  std::array<char, 64> buffer;
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                    std::chars_format::fixed, 2);
  if (result.ec != std::errc()) return "0";
  std::string text(buffer.data(), result.ptr);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string Attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + std::string(value) + "\"";
}

std::string Attribute(std::string_view name, double value) {
  return Attribute(name, Pixels(value));
}

std::string StrokeAttributes(const SvgStroke& stroke) {
  std::string attributes = Attribute("stroke", stroke.colour) +
                           Attribute("stroke-width", stroke.width);
  if (!stroke.dashes.empty()) {
    attributes += Attribute("stroke-dasharray", stroke.dashes);
  }
  return attributes;
}

}  // namespace

SvgDocument::SvgDocument(double width, double height) {
  text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\"" +
          Attribute("width", width) + Attribute("height", height) +
          Attribute("viewBox", "0 0 " + Pixels(width) + " " + Pixels(height)) +
          Attribute("font-family",
                    "Inter, 'Helvetica Neue', Arial, 'DejaVu Sans', "
                    "sans-serif") +
          ">\n";
  Rectangle({0, 0}, width, height, "#ffffff");
}

void SvgDocument::Title(std::string_view text) {
  text_ += "<title>" + EscapedXml(text) + "</title>\n";
}

void SvgDocument::Rectangle(SvgPoint corner, double width, double height,
                            std::string_view fill) {
  text_ += "<rect" + Attribute("x", corner.x) + Attribute("y", corner.y) +
           Attribute("width", width) + Attribute("height", height) +
           Attribute("fill", fill) + "/>\n";
}

void SvgDocument::TitledRectangle(SvgPoint corner, double width, double height,
                                  std::string_view fill,
                                  std::string_view title) {
  text_ += "<rect" + Attribute("x", corner.x) + Attribute("y", corner.y) +
           Attribute("width", width) + Attribute("height", height) +
           Attribute("fill", fill) + "><title>" + EscapedXml(title) +
           "</title></rect>\n";
}

void SvgDocument::Line(SvgPoint from, SvgPoint to, const SvgStroke& stroke) {
  text_ += "<line" + Attribute("x1", from.x) + Attribute("y1", from.y) +
           Attribute("x2", to.x) + Attribute("y2", to.y) +
           StrokeAttributes(stroke) + "/>\n";
}

void SvgDocument::Polyline(const std::vector<SvgPoint>& points,
                           const SvgStroke& stroke) {
  std::string list;
  for (const SvgPoint& point : points) {
    if (!list.empty()) list += ' ';
    list += Pixels(point.x) + "," + Pixels(point.y);
  }
  text_ += "<polyline" + Attribute("points", list) + Attribute("fill", "none") +
           StrokeAttributes(stroke) + Attribute("stroke-linejoin", "round") +
           "/>\n";
}

void SvgDocument::Circle(SvgPoint centre, double radius,
                         std::string_view fill) {
  text_ += "<circle" + Attribute("cx", centre.x) + Attribute("cy", centre.y) +
           Attribute("r", radius) + Attribute("fill", fill) + "/>\n";
}

void SvgDocument::Dots(const std::vector<SvgPoint>& centres, double radius,
                       std::string_view fill) {
  if (centres.empty()) return;
  // Strokes of no length with round ends.
  std::string path;
  for (const SvgPoint& centre : centres) {
    path += "M" + Pixels(centre.x) + " " + Pixels(centre.y) + "h0";
  }
  text_ += "<path" + Attribute("d", path) + Attribute("stroke", fill) +
           Attribute("stroke-width", 2 * radius) +
           Attribute("stroke-linecap", "round") + "/>\n";
}

void SvgDocument::Text(SvgPoint baseline, std::string_view text,
                       const SvgTextStyle& style) {
  TextElement(baseline, text, style, false);
}

void SvgDocument::VerticalText(SvgPoint baseline, std::string_view text,
                               const SvgTextStyle& style) {
  TextElement(baseline, text, style, true);
}

void SvgDocument::TextElement(SvgPoint baseline, std::string_view text,
                              const SvgTextStyle& style, bool upwards) {
  constexpr std::array<std::string_view, 3> kAnchors = {"start", "middle",
                                                        "end"};
  text_ += "<text" + Attribute("x", baseline.x) + Attribute("y", baseline.y) +
           Attribute("font-size", style.size) +
           Attribute("fill", style.colour) +
           Attribute("text-anchor",
                     kAnchors[static_cast<std::size_t>(style.anchor)]);
  if (style.bold) text_ += Attribute("font-weight", "600");
  if (upwards) {
    text_ += Attribute("transform", "rotate(-90 " + Pixels(baseline.x) + " " +
                                        Pixels(baseline.y) + ")");
  }
  text_ += ">" + EscapedXml(text) + "</text>\n";
}

std::string SvgDocument::Finish() && {
  text_ += "</svg>\n";
  return std::move(text_);
}

}  // namespace torqued::cli
