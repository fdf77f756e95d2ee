package dev.prpf.par.schema;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.schema.Schema.SchemaDocument;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks a schema's {@code oneOf}, which is supported if its branches are disjoint; then any branch may match.
 *
 * @param at its schema's JSON Pointer
 * @param untyped schemas without {@code type}, by identity; they accept all values of types that their keywords do not restrict
 */
record OneOf(String at, List<Schema> branches, Set<Schema> untyped) {
    private static final int MAX_DEPTH = 8;

    private record Differences(SchemaDocument document, WorkBudget budget) {}

    /** JSON's kinds of values; a number may be an integer. */
    private enum Kind {
        STRING,
        NUMBER,
        BOOLEAN,
        NULL,
        ARRAY,
        OBJECT
    }

    /**
     * Rejects branches that could accept the same value.
     *
     * @param budget counts the compared schemas
     * @throws PrpfException 65, naming both branches
     */
    void require(SchemaDocument document, WorkBudget budget) {
        for (int i = 0; i < branches.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (!differ(new Differences(document, budget), branches.get(j), branches.get(i), MAX_DEPTH)) {
                    throw SchemaReader.refused(
                            at,
                            "oneOf/" + j + " and oneOf/" + i
                                    + " may accept the same value; they must differ in type, in"
                                    + " their values, or in those of a required property; name the type of each branch, or use"
                                    + " anyOf");
                }
            }
        }
    }

    private boolean differ(Differences at, Schema a, Schema b, int depth) {
        at.budget().spend(1);
        if (depth == 0) {
            return false;
        } else if (a instanceof Schema.Reference reference) {
            return differ(at, at.document().target(reference), b, depth - 1);
        } else if (a instanceof Schema.Union union) {
            return union.branches().stream().allMatch(branch -> differ(at, branch, b, depth - 1));
        } else if (b instanceof Schema.Reference || b instanceof Schema.Union) {
            return differ(at, b, a, depth);
        } else if (a instanceof Schema.Literals of && b instanceof Schema.Literals other) {
            at.budget().spend((long) of.values().size() * other.values().size());
            return of.values().stream()
                    .noneMatch(value -> other.values().stream().anyMatch(v -> equal(value, v)));
        } else if (a instanceof Schema.Properties of && b instanceof Schema.Properties other) {
            return someDiffer(at, of, other, depth - 1);
        }
        Set<Kind> kinds = kinds(a);
        kinds.retainAll(kinds(b));
        return kinds.isEmpty() && !untyped.contains(a) && !untyped.contains(b);
    }

    private boolean someDiffer(Differences at, Schema.Properties a, Schema.Properties b, int depth) {
        at.budget().spend((long) a.properties().size() + b.properties().size());
        Map<String, Schema> required = new HashMap<>();
        a.properties().stream().filter(Schema.Property::required).forEach(p -> required.put(p.name(), p.value()));
        return b.properties().stream().filter(Schema.Property::required).anyMatch(property -> {
            Schema other = required.get(property.name());
            return other != null && differ(at, other, property.value(), depth);
        });
    }

    private static boolean equal(JsonNode a, JsonNode b) {
        boolean numbers = a.isNumber() && b.isNumber();
        return numbers ? a.decimalValue().compareTo(b.decimalValue()) == 0 : a.equals(b);
    }

    private static Set<Kind> kinds(Schema schema) {
        Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        if (schema instanceof Schema.Anything) {
            return EnumSet.allOf(Kind.class);
        } else if (schema instanceof Schema.Literals literals) {
            literals.values()
                    .forEach(value -> kinds.add(Kind.valueOf(value.getNodeType().name())));
        } else {
            kinds.add(
                    schema instanceof Schema.Text
                            ? Kind.STRING
                            : schema instanceof Schema.Numbers || schema instanceof Schema.Written
                                    ? Kind.NUMBER
                                    : schema instanceof Schema.Items ? Kind.ARRAY : Kind.OBJECT);
        }
        return kinds;
    }
}
