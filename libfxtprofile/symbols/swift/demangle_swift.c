/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See demangle.h: the mangling of Swift since 4.2, by the rules of its ABI.
 *
 * Functions have their path and the labels of their parameters, without types:
 * main.Sorter.run(by:), main.Sorter.count.getter, closure #1 in main.work(). Names with
 * anything else in them than these rules know stay, as do those of thunks that have types
 * for names.
 *
 * Most operators are rules of a table.
 */
#include "libfxtprofile/symbols/demangle.h"

#include <string.h>

#include "demangle_swift_entities.h"
#include "demangle_swift_nodes.h"

/* ---- Operands ---------------------------------------------------------------------- */

static void pop_type(struct swift *swift)
{
    swift_pop(swift, SWIFT_TYPE);
}

static void pop_tuple_element(struct swift *swift)
{
    swift_pop_if(swift, SWIFT_VARIADIC);
    swift_pop_if(swift, SWIFT_IDENTIFIER);
    pop_type(swift);
}

static void pop_conformance(struct swift *swift)
{
    swift_pop(swift, SWIFT_CONFORMANCE);
}

static void pop_requirement(struct swift *swift)
{
    swift_pop(swift, SWIFT_REQUIREMENT);
}

static void pop_requirements(struct swift *swift)
{
    while (swift_pop_if(swift, SWIFT_REQUIREMENT))
        continue;
}

static void pop_conformance_protocol(struct swift *swift)
{
    if (swift_pop_if(swift, SWIFT_CONFORMANCE_PROTOCOL))
        return;
    swift_pop_module(swift);
    swift_pop_protocol(swift);
}

static void pop_associated_name(struct swift *swift)
{
    if (swift_is_next(swift, SWIFT_TYPE))
        swift_pop_protocol(swift);
    swift_pop(swift, SWIFT_IDENTIFIER);
}

/* The first element of a list, which is popped last, has a mark. Returns how many there
 * are. */
static size_t pop_list(struct swift *swift, void (*pop_element)(struct swift *))
{
    bool is_first = swift_pop_if(swift, SWIFT_EMPTY);
    size_t n = 0;

    while (!is_first && !swift->has_failed) {
        is_first = swift_pop_if(swift, SWIFT_FIRST);
        pop_element(swift);
        n++;
    }
    return n;
}

/* The arguments of a generic type: a list for each type around it. */
static void pop_generic_arguments(struct swift *swift)
{
    while (swift_pop_if(swift, SWIFT_RETROACTIVE))
        continue;
    while (!swift->has_failed) {
        while (swift_pop_if(swift, SWIFT_TYPE))
            continue;
        if (swift_pop_if(swift, SWIFT_EMPTY))
            return;
        swift_pop(swift, SWIFT_FIRST);
    }
}

static struct swift_node pop_global(struct swift *swift)
{
    return swift_pop(swift,
                     swift_is_next(swift, SWIFT_ENTITY) ? SWIFT_ENTITY : SWIFT_GLOBAL);
}

static void take_parameter_index(struct swift *swift)
{
    if (swift_take_if(swift, 'd')) {
        swift_take_index(swift);
        swift_take_index(swift);
    } else if (!swift_take_if(swift, 'z') && !swift_take_if(swift, 's')) {
        swift_take_index(swift);
    }
}

static void take_builtin(struct swift *swift)
{
    char c = swift_take(swift);

    if (strchr("fiv", c) != NULL)
        swift_take_index(swift);
    else if (strchr("ABDIOPbcdejoptw", c) == NULL)
        swift_fail(swift);
    if (c == 'v')
        pop_type(swift);
}

/* For each depth. */
static void take_parameter_counts(struct swift *swift)
{
    while (!swift->has_failed && !swift_take_if(swift, 'l')) {
        if (!swift_take_if(swift, 'z'))
            swift_take_index(swift);
    }
}

static void take_layout(struct swift *swift)
{
    char c = swift_take(swift);

    if (strchr("EMem", c) != NULL) {
        swift_take_index(swift);
        if (c == 'E' || c == 'M')
            swift_take_index(swift);
    } else if (strchr("BCDNRSTU", c) == NULL) {
        swift_fail(swift);
    }
}

static void take_specialization_pass(struct swift *swift)
{
    swift_take_if(swift, 'm');
    swift_take_if(swift, 'q');
    if (!swift_take_if(swift, 'a'))
        swift_take_if(swift, 'r');
    if (strchr("0123456789", swift_take(swift)) == NULL)
        swift_fail(swift);
}

/* What a parameter of a specialized function is replaced by. Returns whether that is an
 * operand. */
static bool take_replacement(struct swift *swift)
{
    char c = swift_take(swift);

    if (c == 'p') {
        c = swift_take(swift);
        if (c == 's' && strchr("bwc", swift_take(swift)) == NULL)
            swift_fail(swift);
        if (strchr("fgs", c) != NULL)
            return true;
        if (strchr("id", c) == NULL)
            swift_fail(swift);
        swift_take_number(swift);
        return false;
    }
    if (strchr("cdeginorsx", c) == NULL)
        swift_fail(swift);
    while (strchr("dego", c) != NULL &&
           (swift_take_if(swift, 'D') || swift_take_if(swift, 'G') ||
            swift_take_if(swift, 'O') || swift_take_if(swift, 'X')))
        continue;
    return c == 'c';
}

/* What the parameters of a specialized function are replaced by. */
static void take_replacements(struct swift *swift)
{
    size_t n_operands = 0;

    take_specialization_pass(swift);
    while (!swift->has_failed && !swift_take_if(swift, '_'))
        n_operands += take_replacement(swift);
    take_replacement(swift);
    while (n_operands-- > 0 && !swift->has_failed) {
        while (swift_pop_if(swift, SWIFT_TYPE))
            continue;
        swift_pop(swift, SWIFT_IDENTIFIER);
    }
}

/* ---- The table of operators -------------------------------------------------------- */

#define SPECIALIZED "specialized "

/* Operators, the steps that each takes, as letters of take_step, and the kind of node
 * that they leave. No operator is the beginning of another, but for R, which is last. A
 * node has a name if there is one here and the operand has one; in it % is a number, and
 * # is # and the number from 1. A name that begins with a point is that of a member. */
static const struct rules {
    enum swift_kind result;
    const char *operators;
    const char *name;
} rules[] = {
    {SWIFT_EMPTY, "y:", NULL},
    {SWIFT_FIRST, "_:", NULL},
    {SWIFT_VARIADIC, "d:", NULL},
    {SWIFT_TYPE,
     "x: q:% h:t m:t n:t z:t c:x^ p:P t:E^ u:St^ Sg:t& G:Gnb^& B:@ XA:x XB:x "
     "XC:x XK:x XL:x XU:x Xf:x XE:x^ XD:t Xb:t Xo:t Xp:t Xu:t Xw:t XMt:t "
     "XMT:t XMo:t Xmt:t XmT:t Xmo:t Xc:tP Xl:P XP:Qt XX:STT Xx:T Xe: Yi:t "
     "Yk:t Yt:t Yu:t Qr: Qu: QR:# QU:# Qp:tt QP:T Qe:#t Qo:#Go& Qa:it& "
     "Qx:at& QX:At& Qy:%a& QY:%A& Qz:a& QZ:A&",
     NULL},
    {SWIFT_OPAQUE, "QO:c", NULL},
    {SWIFT_EFFECT, "K: YA: YC: YT: Ya: Yb: YK:t Yc:t", NULL},
    {SWIFT_EXTENSION, "E:gmn^", NULL},
    {SWIFT_SIGNATURE, "l:R r:NR", NULL},
    {SWIFT_CONFORMANCE_PROTOCOL, "HP:p Hp:p", NULL},
    {SWIFT_CONFORMANCE, "HC:Fht HD:#pt HI:#pf HA:#ptf", NULL},
    {SWIFT_RETROACTIVE, "g:#f", NULL},
    {SWIFT_GLOBAL, "TB:0Tw TG:0Tw Tg:0Tw Ti:0Tw Ts:0Tw TP:0tw Tp:0tw Tf:rw", SPECIALIZED},
    {SWIFT_REQUIREMENT,
     "Rp:%ap& RP:%Ap& RQ:tp Rb:%t Rc:%at& RC:%At& RB:tt Rs:%t Rt:%at& "
     "RT:%At& RS:tt Rl:%L Rm:%aL& RM:%AL& RL:tL Ri:#% Rj:#%a& RJ:#%A& RI:#t "
     "Rh:%t Rv:% R:%p",
     NULL},
    {SWIFT_MODULE, "s:", "Swift"},
    {SWIFT_MODULE, "So:", "__C"},
    {SWIFT_MODULE, "SC:", "__C_Synthesized"},
    {SWIFT_ENTITY, "Z:e", "static "},
    {SWIFT_ENTITY, "fD:c", ".__deallocating_deinit"},
    {SWIFT_ENTITY, "fd:c", ".deinit"},
    {SWIFT_ENTITY, "fZ:c", ".__isolated_deallocating_deinit"},
    {SWIFT_ENTITY, "fE:c", ".__ivar_destroyer"},
    {SWIFT_ENTITY, "fe:c", ".__ivar_initializer"},
    {SWIFT_ENTITY, "fU:#tc", "closure # in "},
    {SWIFT_ENTITY, "fu:#tc", "implicit closure # in "},
    {SWIFT_ENTITY, "fA:#c", "default argument % of "},
    {SWIFT_ENTITY, "fi:c", "variable initialization expression of "},
    {SWIFT_ENTITY, "fP:c", "property wrapper backing initializer of "},
    {SWIFT_GLOBAL, "TA:w", "partial apply for "},
    {SWIFT_GLOBAL, "Ta:w", "partial apply for "},
    {SWIFT_GLOBAL, "TD:w", "dynamic "},
    {SWIFT_GLOBAL, "TE:w", "distributed thunk "},
    {SWIFT_GLOBAL, "TO:w", "@nonobjc "},
    {SWIFT_GLOBAL, "To:w", "@objc "},
    {SWIFT_GLOBAL, "TQ:#w", "(%) await resume partial function for "},
    {SWIFT_GLOBAL, "TY:#w", "(%) suspend resume partial function for "},
    {SWIFT_GLOBAL, "TS:e", "protocol self-conformance witness for "},
    {SWIFT_GLOBAL, "Tc:e", "curry thunk of "},
    {SWIFT_GLOBAL, "Tj:e", "dispatch thunk of "},
    {SWIFT_GLOBAL, "Tm:w", "merged "},
    {SWIFT_GLOBAL, "TwB:w", "back deployment fallback for "},
    {SWIFT_GLOBAL, "Twb:w", "back deployment thunk for "},
    {SWIFT_GLOBAL, "Ma:n", "type metadata accessor for "},
    {SWIFT_GLOBAL, "Mi:n", "type metadata instantiation function for "},
    {SWIFT_GLOBAL, "Mr:n", "type metadata completion function for "},
    {SWIFT_GLOBAL, "WOy:gn", "outlined copy of "},
    {SWIFT_GLOBAL, "WOe:gn", "outlined consume of "},
    {SWIFT_GLOBAL, "WOr:gn", "outlined retain of "},
    {SWIFT_GLOBAL, "WOs:gn", "outlined release of "},
    {SWIFT_GLOBAL, "WOb:gn", "outlined init with take of "},
    {SWIFT_GLOBAL, "WOc:gn", "outlined init with copy of "},
    {SWIFT_GLOBAL, "WOd:gn", "outlined assign with take of "},
    {SWIFT_GLOBAL, "WOf:gn", "outlined assign with copy of "},
    {SWIFT_GLOBAL, "WOh:gn", "outlined destroy of "},
};

/* What steps read after the operator, or take from the stack without a name. */
static void take_operand(struct swift *swift, char step)
{
    static const struct {
        char step;
        bool is_list;
        void (*take)(struct swift *swift);
    } operands[] = {
        {'%', false, take_parameter_index},
        {'0', false, take_specialization_pass},
        {'@', false, take_builtin},
        {'L', false, take_layout},
        {'r', false, take_replacements},
        {'N', false, take_parameter_counts},
        {'R', false, pop_requirements},
        {'G', false, pop_generic_arguments},
        {'a', false, pop_associated_name},
        {'A', true, pop_associated_name},
        {'f', false, pop_conformance},
        {'F', true, pop_conformance},
        {'h', false, pop_conformance_protocol},
        {'p', false, swift_pop_protocol},
        {'P', true, swift_pop_protocol},
        {'Q', true, pop_requirement},
        {'T', true, pop_type},
    };

    for (size_t i = 0; i < sizeof(operands) / sizeof(operands[0]); i++) {
        if (step == operands[i].step && operands[i].is_list)
            pop_list(swift, operands[i].take);
        else if (step == operands[i].step)
            operands[i].take(swift);
    }
    if (step == 'i')
        swift_pop(swift, SWIFT_IDENTIFIER);
    else if (step == 'o')
        swift_pop(swift, SWIFT_OPAQUE);
    else if (step == 'S')
        swift_pop(swift, SWIFT_SIGNATURE);
    else if (step == 'g')
        swift_pop_if(swift, SWIFT_SIGNATURE);
    else if (step == 'm')
        swift_pop_module(swift);
}

/* A step; ^ makes the operand the result, and & after the last lets names refer to it. */
static void take_step(struct swift *swift, char step, struct swift_node *operand,
                      size_t *number)
{
    if (step == '#')
        *number = swift_take_index(swift);
    else if (step == 't')
        *operand = swift_pop(swift, SWIFT_TYPE);
    else if (step == 'n')
        *operand = swift_pop_nominal(swift);
    else if (step == 'c')
        *operand = swift_pop_context(swift);
    else if (step == 'e')
        *operand = swift_pop(swift, SWIFT_ENTITY);
    else if (step == 'w')
        *operand = pop_global(swift);
    else if (step == 'x')
        *operand = swift_pop_function_type(swift);
    else if (step == 'E')
        operand->n_elements = pop_list(swift, pop_tuple_element);
    else if (step == 'b')
        operand->is_nominal = false;
    else
        take_operand(swift, step);
}

static void add_result_name(struct swift *swift, const char *name, size_t number)
{
    for (; *name != '\0'; name++) {
        char c[2] = {*name, '\0'};

        if (c[0] != '%')
            swift_add(swift, c);
        if (c[0] == '%' || c[0] == '#')
            text_u64(&swift->text, number + (c[0] == '#'));
    }
}

static struct swift_node name_result(struct swift *swift, const struct rules *rule,
                                     struct swift_node operand, size_t number)
{
    size_t start = swift->text.size;
    bool is_twice =
        strcmp(rule->name, SPECIALIZED) == 0 && operand.size > strlen(SPECIALIZED) &&
        memcmp(swift->text.data + operand.start, SPECIALIZED, strlen(SPECIALIZED)) == 0;
    struct swift_node node;

    if (rule->name[0] == '.') {
        node = swift_name_literal(swift, rule->name + 1);
        return swift_name_plain_member(swift, rule->result, operand, node);
    }
    if (!is_twice)
        add_result_name(swift, rule->name, number);
    if (rule->result != SWIFT_MODULE)
        swift_add_name(swift, operand);
    node = swift_named(swift, rule->result, start);
    node.path = rule->result == SWIFT_MODULE ? node.size : 0;
    return node;
}

static void apply_rule(struct swift *swift, const struct rules *rule, const char *steps)
{
    struct swift_node operand = {.kind = SWIFT_TYPE};
    struct swift_node node = {.kind = rule->result, .n_elements = 1};
    size_t number = 0;
    char step = '\0';

    for (; *steps != ' ' && *steps != '\0' && *steps != '&'; steps++) {
        step = *steps;
        take_step(swift, step, &operand, &number);
    }
    if (step == '^') {
        node = operand;
        node.kind = rule->result;
        node.is_class &= rule->result != SWIFT_EXTENSION;
    } else if (rule->name != NULL) {
        node = name_result(swift, rule, operand, number);
    }
    swift_push(swift, node);
    node.kind = SWIFT_TYPE;
    if (*steps == '&')
        swift_remember(swift, node);
}

/* The steps of the operator that is next, if it is in a list of them. */
static const char *find_steps(struct swift *swift, const char *operators)
{
    const char *at = operators;

    while (at != NULL) {
        size_t size = strcspn(at, ":");

        if (size <= (size_t)(swift->end - swift->at) &&
            memcmp(swift->at, at, size) == 0) {
            swift->at += size;
            return at + size + 1;
        }
        at = strchr(at, ' ');
        if (at != NULL)
            at++;
    }
    return NULL;
}

static bool take_rule(struct swift *swift)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        const char *steps = find_steps(swift, rules[i].operators);

        if (steps != NULL) {
            apply_rule(swift, &rules[i], steps);
            return true;
        }
    }
    return false;
}

/* ---- All --------------------------------------------------------------------------- */

static void take_constructor_or_thunk(struct swift *swift, char c)
{
    char second = swift_take(swift);

    if (c == 'f' && (second == 'C' || second == 'c'))
        swift_take_constructor(swift, second == 'C');
    else if (c == 'T' && second == 'W')
        swift_take_protocol_witness(swift);
    else if (c == 'W' && second == 'Z')
        swift_take_initializer(swift);
    else
        swift_fail(swift);
}

static void take_node(struct swift *swift)
{
    char c = swift_peek(swift);

    if (c >= '0' && c <= '9') {
        swift_take_identifier(swift);
        return;
    }
    if (take_rule(swift))
        return;
    swift->at++;
    switch (c) {
    case 'A':
        swift_take_substitutions(swift);
        break;
    case 'C':
    case 'O':
    case 'P':
    case 'V':
    case 'a':
        swift_take_nominal(swift, c);
        break;
    case 'F':
        swift_take_function(swift);
        break;
    case 'L':
        swift_take_local_name(swift);
        break;
    case 'S':
        swift_take_known_type(swift);
        break;
    case 'i':
    case 'v':
        swift_take_variable(swift, c == 'i');
        break;
    case 'o':
        swift_take_operator_name(swift);
        break;
    default:
        take_constructor_or_thunk(swift, c);
    }
}

static const char *skip_prefix(const char *name)
{
    name += name[0] == '_';
    return name[0] == '$' && (name[1] == 's' || name[1] == 'S') ? name + 2 : NULL;
}

/* After a point is what LLVM calls parts of functions, such as .resume.0. */
bool demangle_swift(struct text *text, const char *name)
{
    const char *mangled = skip_prefix(name);
    struct swift_node node;
    struct swift *swift;
    bool ok;

    if (mangled == NULL || strlen(mangled) > SWIFT_MANGLED_MAX)
        return false;
    swift = (struct swift *)memory_allocate(sizeof(*swift));
    swift->at = mangled;
    swift->end = mangled + strcspn(mangled, ".");
    while (swift->at < swift->end)
        take_node(swift);
    node = pop_global(swift);
    ok = !swift->has_failed && swift->n_nodes == 0;
    if (ok) {
        text_add(text, swift->text.data + node.start, node.size);
        text_str(text, swift->end);
    }
    text_free(&swift->text);
    memory_release(swift);
    return ok;
}
