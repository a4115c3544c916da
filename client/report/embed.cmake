# cmake -DTEMPLATE=... -DCHART_JS=... -DCHART_CSS=... -DOUTPUT=... -P embed.cmake:
# the template of reports with the chart library in it, as .html or in a .cc.
file(READ ${TEMPLATE} page)
foreach(mark CHART_CSS CHART_JS)
  file(READ ${${mark}} text)
  # A browser's debugger would look for the map.
  string(REGEX REPLACE "/[/*]# sourceMappingURL=[^\n]*" "" text "${text}")
  string(REPLACE "/*${mark}*/" "${text}" page "${page}")
endforeach()
if(OUTPUT MATCHES "html$")
  file(WRITE ${OUTPUT} "${page}")
  return()
endif()
file(WRITE ${OUTPUT}.html "${page}")
file(READ ${OUTPUT}.html bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT}
  "#include \"client/cli/check/checker.h\"\n\n"
  "namespace {\n"
  "constexpr unsigned char kBytes[] = {${bytes}};\n"
  "}  // namespace\n\n"
  "const std::string_view torqued::cli::kReportTemplate(\n"
  "    reinterpret_cast<const char*>(kBytes), sizeof kBytes);\n")
