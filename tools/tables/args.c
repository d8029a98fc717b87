/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of arguments. */
#include "common/base/binary.h"
#include "events.h"

/* What a row has beside the event and the name. */
struct arg_cells {
    const char *type;
    struct cell integer;
    struct cell string;
    struct cell real;
    struct cell blob;
};

static void set_integer(struct arg_cells *cells, const char *type,
                        const struct fxt_profile_event_arg *arg)
{
    cells->type = type;
    cells->integer = cell_int((int64_t)arg->number);
}

static void set_value(struct producer *p, struct arg_cells *cells,
                      const struct fxt_profile_event_arg *arg)
{
    switch (arg->type) {
    case FXT_ARG_NULL:
        cells->type = "null";
        break;
    case FXT_ARG_INT32:
    case FXT_ARG_INT64:
        set_integer(cells, "int", arg);
        break;
    case FXT_ARG_UINT32:
    case FXT_ARG_UINT64:
        set_integer(cells, "uint", arg);
        break;
    case FXT_ARG_DOUBLE:
        cells->type = "real";
        cells->real = cell_double(double_of_bits(arg->number));
        break;
    case FXT_ARG_STRING:
        cells->type = "string";
        cells->string = cell_string(p, arg->string);
        break;
    case FXT_ARG_POINTER:
        set_integer(cells, "pointer", arg);
        break;
    case FXT_ARG_KOID:
        set_integer(cells, "koid", arg);
        break;
    case FXT_ARG_BOOL:
        set_integer(cells, "bool", arg);
        break;
    case FXT_ARG_BLOB:
        cells->type = "blob";
        cells->blob = cell_bytes(arg->string.data, arg->string.size);
        break;
    default:
        break;
    }
}

static void produce_arg(struct producer *p, size_t event,
                        const struct fxt_profile_event_arg *arg)
{
    struct arg_cells c = {"other", cell_null(), cell_null(), cell_null(), cell_null()};

    set_value(p, &c, arg);
    PRODUCE_ROW(p, SCHEMA_ARGS, cell_int((int64_t)event), cell_string(p, arg->name),
                cell_word(c.type), c.integer, c.string, c.real, c.blob);
}

/* Values of counters are in another table, and what times off CPU and drops have, too. */
void produce_args(struct producer *p)
{
    struct event_walk w = {
        .kinds = ~(EVENTS_OF(OFF_CPU) | EVENTS_OF(DROPS)),
    };

    while (events_next(&w, p)) {
        bool is_counter = w.event.kind == FXT_PROFILE_EVENT_COUNTER;

        for (uint32_t i = 0; i < w.event.n_args; i++) {
            struct fxt_profile_event_arg arg;
            double value;

            fxt_profile_get_event_arg(p->profile, w.index, i, &arg);
            if (!is_counter || !event_arg_is_value(&arg, &value))
                produce_arg(p, w.index, &arg);
        }
    }
}
