/**
 * The subset of JSON Schema (draft 2020-12) that responses can be kept to (docs/GENERATION.md): {@link dev.prpf.par.schema.SchemaReader} makes
 * a {@link dev.prpf.par.schema.SchemaDocument} of JSON, with patterns as {@link dev.prpf.par.schema.Regex}. Invariants: what a document does
 * not say is not refused silently: a keyword whose meaning is not kept is an error that names it and its place; a document is no larger than
 * the text it was read from.
 */
@NullMarked
package dev.prpf.par.schema;

import org.jspecify.annotations.NullMarked;
