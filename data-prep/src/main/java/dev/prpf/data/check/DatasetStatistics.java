package dev.prpf.data.check;

import dev.prpf.data.Frame;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Modality;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScreenTrajectory;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What PRPF's Table 5 counts, by split and modality, and counts by difficulty, scenario and calls an answer. */
public final class DatasetStatistics {
    /** The split of records that name none. */
    public static final String NO_SPLIT = "none";

    private final ScenarioCatalog catalog;
    private final Map<String, Map<Modality, Row>> rows = new TreeMap<>();
    private final Row total = new Row();
    private final Map<Integer, Long> difficulty = new TreeMap<>(Map.of(1, 0L, 2, 0L, 3, 0L));
    private final Map<String, Long> scenario = new LinkedHashMap<>();
    private final Map<Integer, Long> callsPerAnswer = new TreeMap<>();

    /** One row of the table. */
    public static final class Row {
        private long items;
        private long intents;
        private long images;
        private long functions;
        private long silent;
        private long unlabelled;

        /** Samples. */
        public long items() {
            return items;
        }

        /** Valid answers; silence is an answer, so an empty list counts one, as the paper's 4,438 of 4,438 items must have been. */
        public long intents() {
            return intents;
        }

        /** Pictures in the traces. */
        public long images() {
            return images;
        }

        /** Calls in all valid answers. */
        public long functions() {
            return functions;
        }

        /** Samples whose every answer is silence. */
        public long silent() {
            return silent;
        }

        /** Samples without answers. */
        public long unlabelled() {
            return unlabelled;
        }

        private void add(Sample sample) {
            items++;
            if (sample.trajectory() instanceof ScreenTrajectory screens) {
                images += screens.frames().stream()
                        .filter(Frame.Screenshot.class::isInstance)
                        .count();
            }
            if (!sample.labelled()) {
                unlabelled++;
                return;
            }
            List<List<FunctionCall>> answers = sample.validSequences();
            intents += answers.size();
            functions += answers.stream().mapToLong(List::size).sum();
            silent += sample.wantsIntervention() ? 0 : 1;
        }

        Map<String, Object> toJson() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("items", items);
            json.put("intents", intents);
            json.put("images", images);
            json.put("functions", functions);
            json.put("silent", silent);
            json.put("unlabelled", unlabelled);
            return json;
        }
    }

    public DatasetStatistics(ScenarioCatalog catalog) {
        this.catalog = catalog;
        catalog.names().forEach(name -> scenario.put(name, 0L));
        scenario.put(ScenarioCatalog.NONE, 0L);
    }

    /** Counts all samples. */
    public DatasetStatistics addAll(Iterator<Sample> samples) {
        samples.forEachRemaining(this::add);
        return this;
    }

    private void add(Sample sample) {
        String split = sample.split() == null ? NO_SPLIT : sample.split();
        rows.computeIfAbsent(split, name -> new TreeMap<>())
                .computeIfAbsent(sample.modality(), modality -> new Row())
                .add(sample);
        total.add(sample);
        difficulty.merge(sample.difficulty(), 1L, Long::sum);
        scenario.merge(catalog.scenarioOf(sample), 1L, Long::sum);
        if (sample.labelled()) {
            sample.validSequences().forEach(calls -> callsPerAnswer.merge(calls.size(), 1L, Long::sum));
        }
    }

    public Map<String, Map<Modality, Row>> rows() {
        return rows;
    }

    public Row total() {
        return total;
    }

    public Map<Integer, Long> byDifficulty() {
        return difficulty;
    }

    public Map<String, Long> byScenario() {
        return scenario;
    }

    public Map<Integer, Long> callsPerAnswer() {
        return callsPerAnswer;
    }

    /** {@code {"total": row, "by_split": {split: {modality: row}}, "by_difficulty", "by_scenario", "calls_per_answer"}}. */
    public Map<String, Object> toJson() {
        Map<String, Object> splits = new LinkedHashMap<>();
        rows.forEach((split, modalities) -> {
            Map<String, Object> byModality = new LinkedHashMap<>();
            modalities.forEach((modality, row) -> byModality.put(modality.label(), row.toJson()));
            splits.put(split, byModality);
        });
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("total", total.toJson());
        json.put("by_split", splits);
        json.put("by_difficulty", difficulty);
        json.put("by_scenario", scenario);
        json.put("calls_per_answer", callsPerAnswer);
        return json;
    }
}
