#include "cuda-sim/ptx/doc.h"

#include "cuda-sim/ptx/ops.h"
#include "isa/inst.h"

#include <string.h>

static void print_types(FILE *out, uint64_t set)
{
	const char *sep = "";
	for (unsigned t = 0; t < PTX_N_TYPES; t++)
		if (set >> t & 1) {
			fprintf(out, "%s.%s", sep, ptx_type_text[t]);
			sep = " ";
		}
}

// In a table of markdown a bar would end the cell.
static void print_cell(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			fputc('\\', out);
		fputc(*text, out);
	}
}

void ptx_doc_print(FILE *out)
{
	static const char *const class_text[] = {
#define X(name, text) text,
		ISA_CLASSES(X)
#undef X
	};
	unsigned later = 0;
	fputs("# PTX instructions\n\n"
	      "Made from `cuda-sim/ptx/ops.def` by `heddle ops`; the head of that file explains operands and suffixes.\n"
	      "The class is that of the integer form where a row has several types.\n\n"
	      "| instruction | types | second type | suffixes | operands | class | one lane computes |\n"
	      "| --- | --- | --- | --- | --- | --- | --- |\n",
	      out);
	for (unsigned k = 0; k < ptx_op_count; k++) {
		const struct ptx_op *op = &ptx_op_table[k];
		if (op->flags & PTX_OP_LENIENT) {
			later++;
			continue;
		}
		fprintf(out, "| `%s` | ", op->name);
		print_types(out, op->types);
		fputs(" | ", out);
		print_types(out, op->types2);
		fputs(" | ", out);
		print_cell(out, op->suffixes);
		fputs(" | `", out);
		print_cell(out, op->operands);
		fprintf(out, "` | %s | ", class_text[op->cls]);
		print_cell(out, op->semantics);
		fputs(" |\n", out);
	}
	fprintf(out,
	        "\n## Parsed, not executed yet\n\nA kernel that contains one of these %u forms is refused at launch, by "
	        "name.\n\n",
	        later);
	const char *last = "";
	for (unsigned k = 0; k < ptx_op_count; k++) {
		const struct ptx_op *op = &ptx_op_table[k];
		if (!(op->flags & PTX_OP_LENIENT) || strcmp(op->name, last) == 0)
			continue;
		fprintf(out, "- `%s`: %s\n", op->name, op->semantics);
		last = op->name;
	}
}
