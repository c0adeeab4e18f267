# find_package(appreceipt) defines the target appreceipt::appreceipt.
if(NOT TARGET appreceipt::appreceipt)
    add_library(appreceipt::appreceipt SHARED IMPORTED)
    get_filename_component(appreceipt_libraries "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
    get_filename_component(appreceipt_headers "${CMAKE_CURRENT_LIST_DIR}/@HEADERS@" ABSOLUTE)
    set_target_properties(appreceipt::appreceipt PROPERTIES
        IMPORTED_LOCATION "${appreceipt_libraries}/libappreceipt.so.0"
        IMPORTED_SONAME libappreceipt.so.0
        INTERFACE_INCLUDE_DIRECTORIES "${appreceipt_headers}")
    unset(appreceipt_libraries)
    unset(appreceipt_headers)
endif()
