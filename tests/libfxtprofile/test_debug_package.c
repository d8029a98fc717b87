/* SPDX-License-Identifier: BSD-2-Clause */
/* Packages with the debugging symbols of installed files, of machines made here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/pooled.h"
#include "libfxtprofile/symbols/debug_package.h"

static char root[] = "/tmp/test_debug_package.XXXXXX";

static void make_file(const char *path, const char *content)
{
    char name[256];
    FILE *file;

    snprintf(name, sizeof(name), "%s%s", root, path);
    for (char *at = name + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        mkdir(name, 0700);
        *at = '/';
    }
    file = fopen(name, "w");
    cr_assert_not_null(file);
    fputs(content, file);
    fclose(file);
}

static void make_machine(void)
{
    cr_assert_not_null(mkdtemp(root));
    make_file("/etc/os-release",
              "NAME=\"Debian\"\nVERSION_CODENAME=bookworm\nID=debian\n");
    make_file("/var/lib/dpkg/info/xz-utils.list", "/.\n/usr\n/usr/bin\n/usr/bin/xz\n");
    make_file("/var/lib/dpkg/info/libc6:amd64.list",
              "/lib/x86_64-linux-gnu/libc.so.6\n/usr/lib/gconv.so");
    make_file("/var/lib/dpkg/info/libc6:amd64.md5sums", "/usr/bin/other\n");
    make_file("/var/lib/dpkg/info/$(reboot).list", "/usr/bin/hostile\n");
}

static void remove_machine(void)
{
    char command[64];

    snprintf(command, sizeof(command), "rm -r %s", root);
    cr_assert_eq(system(command), 0);
}

TestSuite(package, .init = make_machine, .fini = remove_machine);

/* The package of the symbols of a file; "" for none. */
static const char *package_of(const char *path, size_t size)
{
    static char found[64];
    struct debug_package package = {.path = {path, size}};

    found[0] = '\0';
    debug_packages_find(root, &package, 1);
    if (package.name.size > 0)
        snprintf(found, sizeof(found), "%.*s", (int)package.name.size, package.name.data);
    return found;
}

static const char *package_named(const char *path)
{
    return package_of(path, strlen(path));
}

POOLED_TEST(package, is_that_which_owns_the_file)
{
    cr_assert_str_eq(package_named("/usr/bin/xz"), "xz-utils-dbgsym");
    cr_assert_str_eq(package_named("/usr/lib/gconv.so"), "libc6-dbg:amd64");
    cr_assert_str_eq(package_named("/usr/bin/other"), "");
}

POOLED_TEST(package, is_found_where_lib_is_a_link_to_usr_lib)
{
    cr_assert_str_eq(package_named("/usr/lib/x86_64-linux-gnu/libc.so.6"),
                     "libc6-dbg:amd64");
    cr_assert_str_eq(package_named("/lib/x86_64-linux-gnu/libc.so.6"), "libc6-dbg:amd64");
    cr_assert_str_eq(package_named("/bin/xz"), "xz-utils-dbgsym");
}

POOLED_TEST(package, of_kernels_is_beside_the_others)
{
    make_file("/var/lib/dpkg/info/linux-image-6.1.0-1-amd64.list",
              "/boot/vmlinuz-6.1.0-1-amd64\n");
    make_file("/var/lib/dpkg/info/libc6-i386.list", "/usr/lib32/libc.so.6\n");
    cr_assert_str_eq(package_named("/boot/vmlinuz-6.1.0-1-amd64"),
                     "linux-image-6.1.0-1-amd64-dbg");
    cr_assert_str_eq(package_named("/usr/lib32/libc.so.6"), "libc6-i386-dbgsym");
}

POOLED_TEST(package, is_one_for_all_of_python)
{
    make_file("/var/lib/dpkg/info/python3.11-minimal.list", "/usr/bin/python3.11\n");
    make_file("/var/lib/dpkg/info/libpython3.11:amd64.list", "/usr/lib/libpython3.so\n");
    make_file("/var/lib/dpkg/info/python3-yaml.list", "/usr/lib/python3/yaml.so\n");
    cr_assert_str_eq(package_named("/usr/bin/python3.11"), "python3.11-dbg");
    cr_assert_str_eq(package_named("/usr/lib/libpython3.so"), "python3.11-dbg");
    cr_assert_str_eq(package_named("/usr/lib/python3/yaml.so"), "python3-yaml-dbgsym");
}

POOLED_TEST(package, names_that_no_list_can_have_are_of_none)
{
    static const char two_lines[] = "/usr\n/usr/bin";

    cr_assert_str_eq(package_named(""), "");
    cr_assert_str_eq(package_named("/"), "");
    cr_assert_str_eq(package_named("bin/xz"), "");
    cr_assert_str_eq(package_named("--version"), "");
    cr_assert_str_eq(package_named("/usr/bin/hostile"), "");
    cr_assert_str_eq(package_of(two_lines, sizeof(two_lines) - 1), "");
    cr_assert_str_eq(package_of("/usr/bin/xz\0", 12), "");
}

POOLED_TEST(package, of_two_files_is_repeated)
{
    struct debug_package packages[] = {{.path = {"/usr/lib/gconv.so", 17}},
                                       {.path = {"/lib/x86_64-linux-gnu/libc.so.6", 31}},
                                       {.path = {"/usr/bin/xz", 11}}};

    cr_assert(debug_packages_find(root, packages, 3));
    cr_assert(!packages[0].is_repeated && packages[1].is_repeated &&
              !packages[2].is_repeated);
}

POOLED_TEST(package, is_of_debian_only)
{
    make_file("/etc/os-release", "ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=jammy\n");
    cr_assert_str_eq(package_named("/usr/bin/xz"), "");
}

static bool has_source_line(const char *expected)
{
    struct text line = {NULL, 0, 0};
    bool found = debug_package_source(root, &line);

    if (found)
        cr_assert(line.size == strlen(expected) &&
                      memcmp(line.data, expected, line.size) == 0,
                  "%.*s", (int)line.size, line.data);
    return found;
}

POOLED_TEST(package, comes_from_the_archive_of_the_release)
{
    static const char expected[] =
        "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
        "http://deb.debian.org/debian-debug bookworm-debug main";

    cr_assert(has_source_line(expected));
    make_file("/etc/apt/sources.list.d/debug.list.disabled",
              "deb http://deb.debian.org/debian-debug bookworm-debug main\n");
    make_file("/etc/apt/sources.list",
              " # deb http://deb.debian.org/debian-debug bookworm-debug main\n");
    cr_assert(has_source_line(expected), "apt does not read it");
    make_file("/etc/apt/sources.list.d/debug.sources",
              "Types: deb\nURIs: http://deb.debian.org/debian-debug\n");
    cr_assert(!has_source_line(""), "apt knows it");
}

POOLED_TEST(package, is_not_looked_for_in_a_release_with_an_impossible_name)
{
    make_file("/etc/os-release", "ID=debian\nVERSION_CODENAME='; reboot'\n");
    cr_assert(!has_source_line(""));
}
