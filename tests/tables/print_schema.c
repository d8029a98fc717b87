/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the tables of tools/tables/schema.c as docs/schema.md has them. */
#include <stdio.h>

#include "tools/tables/schema.h"

static void print_column(const struct column *column)
{
    printf("| `%s` | %s%s | %s", column->name, column_type_name(column->type),
           column->is_nullable ? " or null" : "", column->meaning);
    if (column->refers != NULL)
        printf(" (`%s`)", column->refers);
    printf(" |\n");
}

int main(void)
{
    for (int i = 0; i < SCHEMA_TABLES; i++) {
        const struct table_info *table = &schema_tables[i];

        printf("### %s\n\n%s.\n\n| column | type | meaning |\n|---|---|---|\n",
               table->name, table->meaning);
        for (size_t column = 0; column < table->n_columns; column++)
            print_column(&table->columns[column]);
        printf("\n");
    }
    return 0;
}
