/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_package.h. */
#include "debug_package.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Larger files are no lists of a package's files, and no lists of apt's. */
enum { LIST_BYTES_MAX = 16 << 20 };

/* ---- Files ------------------------------------------------------------------------- */

static void make_path(struct text *path, const char *root, const char *dir,
                      const char *name)
{
    path->size = 0;
    text_str(path, root);
    text_str(path, dir);
    text_str(path, name);
    text_char(path, '\0');
}

/* All of a regular file; nothing if it cannot be read. Only root writes these lists, of
 * which there are thousands, so that a name refers to one file throughout. */
static void read_file(const char *path, struct text *content)
{
    struct stat status;
    ssize_t size;
    int fd;

    content->size = 0;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > LIST_BYTES_MAX)
        return;
    text_room(content, (size_t)status.st_size);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return;
    size = read(fd, content->data, (size_t)status.st_size);
    content->size = size > 0 ? (size_t)size : 0;
    close(fd);
}

/* Takes the next line off a text, without its end. */
static bool next_line(struct string *rest, struct string *line)
{
    const char *end;

    if (rest->size == 0)
        return false;
    end = memchr(rest->data, '\n', rest->size);
    *line = (struct string){rest->data,
                            end != NULL ? (size_t)(end - rest->data) : rest->size};
    end = line->data + line->size + (end != NULL);
    *rest = (struct string){end, rest->size - (size_t)(end - rest->data)};
    return true;
}

static bool begins_with(struct string string, const char *with)
{
    return string.size >= strlen(with) && memcmp(string.data, with, strlen(with)) == 0;
}

static bool ends_with(struct string string, const char *with)
{
    return string.size >= strlen(with) &&
           memcmp(string.data + string.size - strlen(with), with, strlen(with)) == 0;
}

/* ---- The distribution -------------------------------------------------------------- */

/* The value of a line NAME=VALUE, which may be in quotes. */
static struct string find_value(struct string rest, const char *name)
{
    struct string line;

    while (next_line(&rest, &line)) {
        if (!begins_with(line, name))
            continue;
        line.data += strlen(name);
        line.size -= strlen(name);
        if (line.size >= 2 && line.data[0] == '"' && line.data[line.size - 1] == '"')
            line = (struct string){line.data + 1, line.size - 2};
        return line;
    }
    return (struct string){"", 0};
}

/* Returns whether the machine has Debian, and stores the name of its release, for which
 * there is room in `content`. */
static bool find_release(const char *root, struct text *content, struct string *release)
{
    struct text path = {NULL, 0, 0};
    struct string all;
    struct string id;

    make_path(&path, root, "/etc/os-release", "");
    read_file(path.data, content);
    text_free(&path);
    all = (struct string){content->data, content->size};
    id = find_value(all, "ID=");
    *release = find_value(all, "VERSION_CODENAME=");
    return id.size == strlen("debian") && begins_with(id, "debian");
}

/* ---- Packages ---------------------------------------------------------------------- */

static const char usr[] = "/usr";

/* Where /lib is a link to /usr/lib, a package may have its files at either path. */
static struct string without_usr(struct string path)
{
    static const char *const merged[] = {"/usr/bin/", "/usr/lib", "/usr/sbin/"};

    for (size_t i = 0; i < sizeof(merged) / sizeof(merged[0]); i++) {
        if (begins_with(path, merged[i]))
            return (struct string){path.data + strlen(usr), path.size - strlen(usr)};
    }
    return path;
}

/* A path in a list could only be equal to one of several lines if it had these. */
static bool is_usable(struct string path)
{
    return path.size > 1 && path.data[0] == '/' &&
           memchr(path.data, '\n', path.size) == NULL;
}

/* Whether a line is a path, for which it may have /usr before it. */
static bool is_line_of(struct string line, struct string path)
{
    return (line.size == path.size ||
            (line.size == path.size + strlen(usr) && begins_with(line, usr))) &&
           memcmp(line.data + line.size - path.size, path.data, path.size) == 0;
}

/* Debian's packages of Python have one package for their symbols: that of the version. */
static bool add_python(struct text *to, struct string package)
{
    static const char python[] = "python3.";
    size_t size = strlen(python);

    if (begins_with(package, "lib"))
        package = (struct string){package.data + 3, package.size - 3};
    if (!begins_with(package, python))
        return false;
    while (size < package.size && package.data[size] >= '0' && package.data[size] <= '9')
        size++;
    text_add(to, package.data, size);
    text_str(to, "-dbg");
    return true;
}

/* Debian has the symbols of some packages beside the others, from before it had -dbgsym:
 * those of the C library and of kernels. */
static bool has_dbg(struct string package)
{
    return (package.size == strlen("libc6") && begins_with(package, "libc6")) ||
           begins_with(package, "linux-image-");
}

/* Packages of debugging symbols have the architecture of the others. */
static void add_name(struct text *to, struct string package)
{
    const char *colon = memchr(package.data, ':', package.size);
    size_t size = colon != NULL ? (size_t)(colon - package.data) : package.size;

    if (add_python(to, package))
        return;
    text_add(to, package.data, size);
    text_str(to, has_dbg((struct string){package.data, size}) ? "-dbg" : "-dbgsym");
    text_add(to, package.data + size, package.size - size);
}

/* Gives the files at a line their package. Returns how many had none. */
static size_t take_line(struct debug_package *packages, size_t n, struct string package,
                        struct string line)
{
    size_t n_found = 0;

    for (size_t i = 0; i < n; i++) {
        struct debug_package *p = &packages[i];

        if (p->path.size == 0 || p->name.size > 0 || !is_line_of(line, p->path))
            continue;
        add_name(&p->name, package);
        n_found++;
    }
    return n_found;
}

/* The sizes of lines that are looked for, modulo 64, as bits: there are many lines. */
static uint64_t wanted_sizes(const struct debug_package *packages, size_t n)
{
    uint64_t sizes = 0;

    for (size_t i = 0; i < n; i++) {
        sizes |= UINT64_C(1) << packages[i].path.size % 64;
        sizes |= UINT64_C(1) << (packages[i].path.size + strlen(usr)) % 64;
    }
    return sizes;
}

static size_t take_list(struct debug_package *packages, size_t n, struct string package,
                        struct string rest)
{
    uint64_t sizes = wanted_sizes(packages, n);
    struct string line;
    size_t n_found = 0;

    while (next_line(&rest, &line)) {
        if ((sizes >> line.size % 64 & 1) != 0)
            n_found += take_line(packages, n, package, line);
    }
    return n_found;
}

/* Names of packages are of few characters: what else is there is none. */
static bool is_package(struct string name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789+-.:";

    if (name.size == 0 || strchr("+-.:", name.data[0]) != NULL)
        return false;
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == '\0' || strchr(allowed, name.data[i]) == NULL)
            return false;
    }
    return true;
}

/* `n_wanted` of the packages have a path. */
static void search_lists(const char *root, struct debug_package *packages, size_t n,
                         size_t n_wanted)
{
    static const char lists[] = "/var/lib/dpkg/info/";
    static const char suffix[] = ".list";
    struct text path = {NULL, 0, 0};
    struct text content = {NULL, 0, 0};
    const struct dirent *entry;
    DIR *dir;

    make_path(&path, root, lists, "");
    dir = opendir(path.data);
    while (dir != NULL && n_wanted > 0 && (entry = readdir(dir)) != NULL) {
        struct string name = {entry->d_name, strlen(entry->d_name)};

        if (!ends_with(name, suffix))
            continue;
        name.size -= strlen(suffix);
        if (!is_package(name))
            continue;
        make_path(&path, root, lists, entry->d_name);
        read_file(path.data, &content);
        n_wanted -=
            take_list(packages, n, name, (struct string){content.data, content.size});
    }
    if (dir != NULL)
        closedir(dir);
    text_free(&path);
    text_free(&content);
}

static bool same_name(const struct text *a, const struct text *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

bool debug_packages_find(const char *root, struct debug_package *packages, size_t n)
{
    struct text content = {NULL, 0, 0};
    struct string release;
    bool is_debian = find_release(root, &content, &release);
    size_t n_usable = 0;

    text_free(&content);
    for (size_t i = 0; i < n; i++) {
        packages[i].path = is_usable(packages[i].path) ? without_usr(packages[i].path)
                                                       : (struct string){"", 0};
        n_usable += packages[i].path.size > 0;
    }
    if (is_debian)
        search_lists(root, packages, n, n_usable);
    for (size_t i = 1; i < n; i++) {
        for (size_t j = 0; j < i && packages[i].name.size > 0; j++)
            packages[i].is_repeated |= same_name(&packages[i].name, &packages[j].name);
    }
    return is_debian;
}

/* ---- Where apt finds them ---------------------------------------------------------- */

/* Whether a line of apt's sources, which is no comment, has that of debugging symbols. */
static bool is_source_line(struct string line)
{
    static const char source[] = "/debian-debug";

    while (line.size > 0 && (line.data[0] == ' ' || line.data[0] == '\t')) {
        line.data++;
        line.size--;
    }
    return line.size > 0 && line.data[0] != '#' &&
           memmem(line.data, line.size, source, strlen(source)) != NULL;
}

static bool is_source(const char *path)
{
    struct text content = {NULL, 0, 0};
    struct string rest;
    struct string line;
    bool found = false;

    read_file(path, &content);
    rest = (struct string){content.data, content.size};
    while (!found && next_line(&rest, &line))
        found = is_source_line(line);
    text_free(&content);
    return found;
}

/* apt reads no files by other names, such as those that were disabled. */
static bool is_list(const char *name)
{
    struct string file = string_from(name);

    return ends_with(file, ".list") || ends_with(file, ".sources");
}

static bool has_source(const char *root)
{
    static const char lists[] = "/etc/apt/sources.list.d/";
    struct text path = {NULL, 0, 0};
    const struct dirent *entry;
    bool found;
    DIR *dir;

    make_path(&path, root, "/etc/apt/sources.list", "");
    found = is_source(path.data);
    make_path(&path, root, lists, "");
    dir = opendir(path.data);
    while (dir != NULL && !found && (entry = readdir(dir)) != NULL) {
        if (!is_list(entry->d_name))
            continue;
        make_path(&path, root, lists, entry->d_name);
        found = is_source(path.data);
    }
    if (dir != NULL)
        closedir(dir);
    text_free(&path);
    return found;
}

bool debug_package_source(const char *root, struct text *line)
{
    struct text content = {NULL, 0, 0};
    struct string release;
    bool is_wanted = find_release(root, &content, &release) && is_package(release) &&
                     !has_source(root);

    if (is_wanted) {
        text_str(line, "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
                       "http://deb.debian.org/debian-debug ");
        text_add(line, release.data, release.size);
        text_str(line, "-debug main");
    }
    text_free(&content);
    return is_wanted;
}
