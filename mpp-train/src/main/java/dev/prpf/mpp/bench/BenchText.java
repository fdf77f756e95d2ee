package dev.prpf.mpp.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.report.Shown;
import dev.prpf.base.report.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A bench's result as tables for people: one for each list, its columns the keys of the JSON. */
public final class BenchText {
    private BenchText() {}

    /** Texts to be printed one after the other; a dash where a number does not exist. */
    public static List<String> of(BenchResult result) {
        Map<String, String> facts = new LinkedHashMap<>();
        List<String> texts = new ArrayList<>();
        JsonRecords.tree(result).properties().forEach(entry -> {
            if (entry.getValue().isArray()) {
                texts.add(table(entry.getKey(), entry.getValue()));
            } else {
                flatten(entry.getKey(), entry.getValue(), facts);
            }
        });
        facts.forEach((name, value) -> texts.add(name + ": " + value));
        return texts;
    }

    private static String table(String name, JsonNode list) {
        List<Table.Row> rows = new ArrayList<>();
        List<String> columns = new ArrayList<>();
        for (JsonNode element : list) {
            Map<String, String> cells = new LinkedHashMap<>();
            element.properties().forEach(entry -> flatten(entry.getKey(), entry.getValue(), cells));
            rows.add(Table.Row.of(List.copyOf(cells.values())));
            columns = List.copyOf(cells.keySet());
        }
        return new Table(name, columns, rows).toText();
    }

    private static void flatten(String key, JsonNode value, Map<String, String> cells) {
        if (value.isObject()) {
            value.properties().forEach(entry -> flatten(key + "." + entry.getKey(), entry.getValue(), cells));
        } else if (value.isFloatingPointNumber()) {
            double number = value.doubleValue();
            cells.put(key, String.format(Locale.ROOT, Math.abs(number) < 10 ? "%.3f" : "%.1f", number));
        } else {
            cells.put(key, value.isNull() ? Shown.NONE : value.asText());
        }
    }
}
