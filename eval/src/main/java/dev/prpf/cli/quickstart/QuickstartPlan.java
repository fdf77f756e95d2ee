package dev.prpf.cli.quickstart;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.workflow.Placeholders;
import dev.prpf.base.workflow.Stage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The stages of a quickstart: {@code stages.yaml}.
 *
 * @param options shared command options by name
 * @param stages by name, in order
 */
record QuickstartPlan(Map<String, String> options, Map<String, Part> stages) {
    /** A stage; its commands have placeholders. */
    record Part(String about, List<String> commands) {}

    static List<Stage> stages(QuickstartFiles files, QuickstartConfig config) {
        QuickstartPlan plan = StrictYaml.shipped("stages.yaml", QuickstartPlan.class);
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("test-seed", Long.toString(config.seed() + 1));
        JsonRecords.tree(config)
                .properties()
                .forEach(key ->
                        texts.put("config." + key.getKey(), key.getValue().asText()));
        plan.options.forEach((name, text) -> texts.put(Placeholders.OPTIONS + name, text));
        Placeholders placeholders = new Placeholders(texts, defect -> {
            throw new IllegalStateException(defect);
        });
        return plan.stages.entrySet().stream()
                .map(stage -> new Stage(
                        stage.getKey(),
                        stage.getValue().about(),
                        stage.getValue().commands().stream()
                                .map(command -> placeholders.words("", command, files.places()))
                                .toList()))
                .toList();
    }
}
