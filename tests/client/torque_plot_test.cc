#include "client/cli/plot/torque_plot.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "client/cli/plot/svg_document.h"

namespace torqued::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

int Count(const std::string& text, const std::string& piece) {
  int count = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos;
       at = text.find(piece, at + 1)) {
    ++count;
  }
  return count;
}

TorquePlot Plot(const client::Batch& tau, const std::vector<double>& time,
                const std::vector<std::optional<double>>& limits) {
  TorquePlot plot;
  plot.title = "Joint torques of arm@0123";
  plot.tau = tau;
  plot.time = time;
  std::vector<std::string> joints;
  for (Eigen::Index k = 0; k < tau.cols(); ++k) {
    joints.push_back("joint" + std::to_string(k));
    plot.units.emplace_back("N m");
  }
  plot.summary = SummarizeTorques(tau, time, joints, limits);
  return plot;
}

client::Batch Wave(Eigen::Index rows) {
  client::Batch tau(rows, 2);
  for (Eigen::Index k = 0; k < rows; ++k) {
    tau(k, 0) = 8 * std::sin(0.01 * static_cast<double>(k));
    tau(k, 1) = 0.5;
  }
  return tau;
}

constexpr const char* kDashes = "stroke-dasharray";

TEST(DrawTorquePlot, HasAPanelPerJointWithBothLimits) {
  const std::string svg = DrawTorquePlot(Plot(Wave(1000), {}, {10.0, 20.0}));
  EXPECT_THAT(svg, HasSubstr(">joint0</text>"));
  EXPECT_THAT(svg, HasSubstr(">joint1</text>"));
  EXPECT_THAT(svg, HasSubstr(">Joint torques of arm@0123</text>"));
  EXPECT_EQ(Count(svg, "<polyline"), 2);
  EXPECT_EQ(Count(svg, kDashes), 4 + 1) << "two a panel, one in the legend";
  EXPECT_EQ(Count(svg, "no effort limit"), 0);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(DrawTorquePlot, SaysWhereAJointHasNoLimit) {
  const std::string svg = DrawTorquePlot(Plot(Wave(1000), {}, {10.0, {}}));
  EXPECT_EQ(Count(svg, kDashes), 2 + 1);
  EXPECT_EQ(Count(svg, "no effort limit"), 1);
}

TEST(DrawTorquePlot, LeavesOutFarLimitsOnlyWhenTheTorquesSetTheScale) {
  TorquePlot plot = Plot(Wave(1000), {}, {10.0, 20.0});
  plot.scale = PlotScale::kTorques;
  const std::string svg = DrawTorquePlot(plot);
  EXPECT_EQ(Count(svg, kDashes), 2 + 1);
  EXPECT_EQ(Count(svg, "off the scale"), 1);
}

TEST(DrawTorquePlot, KeepsEveryPeakOfManySamples) {
  // One sample in 200 000 stands out; its point must be drawn.
  client::Batch tau = client::Batch::Zero(200'000, 1);
  tau(123'457, 0) = -9;
  const std::string with = DrawTorquePlot(Plot(tau, {}, {10.0}));
  const std::string curve = with.substr(
      with.find("<polyline"), with.find("/>", with.find("<polyline")));
  EXPECT_LT(with.size(), 100'000u) << "more points than pixels can show";
  // The marker's height stands among the curve's points.
  const std::size_t marker = with.find("cy=\"", with.find("<polyline")) + 4;
  const std::string y = with.substr(marker, with.find('"', marker) - marker);
  EXPECT_THAT(curve, HasSubstr("," + y));
}

TEST(DrawTorquePlot, BreaksTheCurveWhereThereIsNoNumber) {
  client::Batch tau = Wave(1000).col(0);
  tau.middleRows(400, 100).setConstant(std::nan(""));
  const std::string svg = DrawTorquePlot(Plot(tau, {}, {10.0}));
  EXPECT_EQ(Count(svg, "<polyline"), 2);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(DrawTorquePlot, NamesTheTimeOrTheSample) {
  EXPECT_THAT(DrawTorquePlot(Plot(Wave(3), {1, 2, 4}, {10.0, 10.0})),
              HasSubstr("time [s]"));
  EXPECT_THAT(DrawTorquePlot(Plot(Wave(3), {}, {10.0, 10.0})),
              HasSubstr(">sample</text>"));
}

TEST(DrawTorquePlot, CopesWithASingleSampleAndWithNoNumbersAtAll) {
  EXPECT_THAT(DrawTorquePlot(Plot(Wave(1), {5}, {10.0, {}})),
              HasSubstr("</svg>"));
  const client::Batch none = client::Batch::Constant(3, 2, std::nan(""));
  EXPECT_THAT(DrawTorquePlot(Plot(none, {}, {10.0, {}})),
              HasSubstr("no sample has a torque"));
}

TEST(SvgDocument, EscapesTexts) {
  SvgDocument svg(10, 10);
  svg.Text({0, 0}, "<a> & \"b\"\n", {});
  const std::string text = std::move(svg).Finish();
  EXPECT_THAT(text, HasSubstr(">&lt;a&gt; &amp; &quot;b&quot; </text>"));
}

}  // namespace
}  // namespace torqued::cli
