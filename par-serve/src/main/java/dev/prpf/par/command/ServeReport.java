package dev.prpf.par.command;

import dev.prpf.base.config.EnumName;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.workflow.Stage;
import dev.prpf.data.Sample;
import dev.prpf.par.cascade.RemoteReasoner;
import dev.prpf.par.serve.ServeConfig;
import dev.prpf.par.serve.ServedParts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The lines that {@code serve} prints once it accepts requests: what is loaded, and what to try next.
 *
 * @param gold labelled samples that responses are rewarded against
 * @param keys whether requests need a key
 * @param triggering the record to try, which passes the gate; null if no example passes
 */
record ServeReport(
        ServedParts.Places places, ServeConfig config, @Nullable Path gold, boolean keys, @Nullable Sample triggering) {
    /** A request to {@code /v1/perceive} or {@code /v1/recommend}. */
    private record Example(String profile, String phone, String world, List<String> trace, boolean passive) {}

    List<String> lines(String address) {
        List<String> lines = new ArrayList<>(List.of(
                "listening on " + address,
                "gate: " + gate(),
                "reasoner: " + reasoner(),
                "functions: " + places.pool().size() + ", scenarios: "
                        + places.catalog().size(),
                "policy: " + policy(),
                "gold of the reward service: " + shown(gold)));
        boolean reasons = places.par() != null || places.remote() != null;
        if (places.answers()) {
            lines.add("Next: curl -s " + address + (reasons ? "/v1/recommend" : "/v1/perceive")
                    + " -H 'Content-Type: application/json'" + (keys ? " -H 'Authorization: Bearer KEY'" : "")
                    + " -d " + Stage.quoted(JsonRecords.write(example())));
            if (triggering == null) {
                lines.add(
                        places.examples().isEmpty()
                                ? "      (\"recommendations\": [] in the answer is silence, where no help seems wanted)"
                                : "      (the answer is silence: no record that was tried passes the gate; docs/THRESHOLD.md"
                                        + " chooses another threshold)");
            }
            lines.add("      open " + address + "/ in a browser: a page to try it");
        }
        return lines;
    }

    static String shown(@Nullable Object place) {
        return place == null ? "none" : place.toString();
    }

    private String policy() {
        boolean temporary = places.policies() == null && places.answers() && !keys;
        return shown(places.policies()) + (temporary ? "; feedback is kept until the server stops" : "");
    }

    private String gate() {
        return places.mpp() == null
                ? "none"
                : String.format(
                        Locale.ROOT,
                        "%s, threshold %.4g, shortlist %d",
                        places.mpp(),
                        places.tau(),
                        config.cascade().shortlist());
    }

    private String reasoner() {
        RemoteReasoner.Config remote = places.remote();
        if (remote != null) {
            return remote.place() + ", structured-output "
                    + EnumName.of(remote.reasoner().structuredOutput());
        }
        return places.par() == null
                ? "none"
                : places.par() + ", constrained " + config.cascade().constrained() + ", max-new-tokens "
                        + config.cascade().maxNewTokens();
    }

    /** Returns a record that wants help, or a fixed request in the language of the functions. */
    private Example example() {
        boolean passive = places.mpp() == null;
        Sample acting = triggering != null
                ? triggering
                : places.examples().stream()
                        .filter(Sample::wantsIntervention)
                        .findFirst()
                        .orElse(null);
        if (acting != null) {
            List<String> texts = acting.context().texts();
            return new Example(
                    texts.get(0),
                    texts.get(1),
                    texts.get(2),
                    acting.trajectory().texts(),
                    passive);
        }
        boolean chinese = places.pool().functions().stream()
                .anyMatch(function -> function.description().codePoints().anyMatch(Character::isIdeographic));
        return chinese
                ? new Example("上班族", "电量 80%", "18:30，下雨", List.of("打开地图", "搜索餐厅"), passive)
                : new Example(
                        "Commuter", "Battery 80%", "18:30, rain", List.of("Opens the map", "Searches food"), passive);
    }
}
