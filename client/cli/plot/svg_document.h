// Scalable vector graphics, the few elements that plots need.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace torqued::cli {

struct SvgPoint {
  double x = 0;
  double y = 0;
};

struct SvgStroke {
  std::string_view colour;
  double width = 1;
  std::string_view dashes = {};  // "4 3"
};

enum class TextAnchor : std::uint8_t { kStart, kMiddle, kEnd };

struct SvgTextStyle {
  double size = 12;
  std::string_view colour = "#222222";
  TextAnchor anchor = TextAnchor::kStart;
  bool bold = false;
};

/// Elements in drawing order. Coordinates are pixels, y down, written with two
/// decimals. Texts are escaped.
class SvgDocument {
 public:
  SvgDocument(double width, double height);

  /// What stands in <title>, for readers and tooltips.
  void Title(std::string_view text);
  void Rectangle(SvgPoint corner, double width, double height,
                 std::string_view fill);
  /// One that tells `title` where a pointer rests on it.
  void TitledRectangle(SvgPoint corner, double width, double height,
                       std::string_view fill, std::string_view title);
  void Line(SvgPoint from, SvgPoint to, const SvgStroke& stroke);
  void Polyline(const std::vector<SvgPoint>& points, const SvgStroke& stroke);
  void Circle(SvgPoint centre, double radius, std::string_view fill);
  /// Many of one kind, in little text.
  void Dots(const std::vector<SvgPoint>& centres, double radius,
            std::string_view fill);
  void Text(SvgPoint baseline, std::string_view text,
            const SvgTextStyle& style);
  /// Text that reads upwards.
  void VerticalText(SvgPoint baseline, std::string_view text,
                    const SvgTextStyle& style);

  std::string Finish() &&;

 private:
  void TextElement(SvgPoint baseline, std::string_view text,
                   const SvgTextStyle& style, bool upwards);

  std::string text_;
};

}  // namespace torqued::cli
