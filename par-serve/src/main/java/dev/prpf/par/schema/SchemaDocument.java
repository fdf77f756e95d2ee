package dev.prpf.par.schema;

import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A schema with the targets of its references.
 *
 * @param root the schema of the whole value
 * @param targets of references, by JSON Pointer
 * @param recursive targets that refer to themselves, directly or indirectly
 */
public record SchemaDocument(Schema root, Map<String, Schema> targets, Set<String> recursive) {
    public SchemaDocument {
        targets = Map.copyOf(targets);
        recursive = Set.copyOf(recursive);
    }

    public Schema target(Schema.Reference reference) {
        return Objects.requireNonNull(targets.get(reference.pointer()));
    }
}
