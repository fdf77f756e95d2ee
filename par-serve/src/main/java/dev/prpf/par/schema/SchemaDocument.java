package dev.prpf.par.schema;

import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A schema that was read.
 *
 * @param root of the value
 * @param targets of its references, by their JSON Pointers
 * @param recursive those of the targets that refer to themselves, over others or not
 */
public record SchemaDocument(Schema root, Map<String, Schema> targets, Set<String> recursive) {
    public SchemaDocument {
        targets = Map.copyOf(targets);
        recursive = Set.copyOf(recursive);
    }

    /** What a reference refers to. */
    public Schema target(Schema.Reference reference) {
        return Objects.requireNonNull(targets.get(reference.pointer()));
    }
}
