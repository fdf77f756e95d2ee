/**
 * The subset of JSON Schema (draft 2020-12) for constrained responses (docs/GENERATION.md). {@link dev.prpf.par.schema.SchemaReader} turns
 * JSON into a {@link dev.prpf.par.schema.Schema.SchemaDocument}, with patterns as {@link dev.prpf.par.schema.Schema.Regex}. Invariants: an unsupported
 * keyword that restricts values is an error with its name and place. A document is not larger than its text.
 */
@NullMarked
package dev.prpf.par.schema;

import org.jspecify.annotations.NullMarked;
