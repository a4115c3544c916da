# cmake -DTEMPLATE=... -DCHART_JS=... -DCHART_CSS=... -DOUTPUT=... -P embed.cmake:
# a .cc with the template of reports and the chart library in it.
file(READ ${TEMPLATE} page)
foreach(mark CHART_CSS CHART_JS)
  file(READ ${${mark}} text)
  # A browser's debugger would look for the map.
  string(REGEX REPLACE "/[/*]# sourceMappingURL=[^\n]*" "" text "${text}")
  string(REPLACE "/*${mark}*/" "${text}" page "${page}")
endforeach()
file(WRITE ${OUTPUT}.html "${page}")
file(READ ${OUTPUT}.html bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT}
  "#include \"client/cli/check/report_page.h\"\n\n"
  "namespace {\n"
  "constexpr unsigned char kBytes[] = {${bytes}};\n"
  "}  // namespace\n\n"
  "const std::string_view torqued::cli::kReportTemplate(\n"
  "    reinterpret_cast<const char*>(kBytes), sizeof kBytes);\n")
