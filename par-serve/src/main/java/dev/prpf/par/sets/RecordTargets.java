package dev.prpf.par.sets;

import dev.prpf.data.FunctionCall;
import dev.prpf.data.Modality;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.tokenizer.Piece;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The call sequences that the records of an SFT set have as targets, by sample. */
final class RecordTargets {
    private final Map<String, List<List<FunctionCall>>> bySample = new LinkedHashMap<>();

    private RecordTargets() {}

    static RecordTargets of(List<SftRecord> records) {
        RecordTargets targets = new RecordTargets();
        records.forEach(record -> targets.bySample
                .computeIfAbsent(record.id(), id -> new ArrayList<>())
                .add(calls(record)));
        return targets;
    }

    /** Those of one record; silence has none. */
    static List<FunctionCall> calls(SftRecord record) {
        if (!(ResponseParser.parse(Piece.text(record.response())) instanceof ParResponse.Parsed parsed)) {
            throw new IllegalStateException("an SFT record's response is parsed: " + record.id());
        }
        return parsed.calls();
    }

    static ResponseForm form(SftRecord record) {
        return ResponseForm.of(
                record.prompt().reasoning(), Modality.valueOf(record.modality().toUpperCase(Locale.ROOT)));
    }

    /** The record's prompt; the targets of all records of its sample are valid answers. */
    PromptExample prompt(SftRecord record, long[] ids) {
        return new PromptExample(
                record.id(), ids, Objects.requireNonNull(bySample.get(record.id())), form(record), List.of());
    }
}
