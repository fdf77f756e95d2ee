package dev.prpf.par.prompt;

import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Frame;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.ParameterSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.Scenario;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScreenTrajectory;
import dev.prpf.data.TextTrajectory;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.par.tokenizer.Piece;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * The identity of a way to write prompts: SHA-256 over a text and a screen probe as rendered, the settings and the tokenizer's own hash, so
 * that any change of layout or wording shows, be it in a configuration or in this program.
 */
final class PromptHash {
    private static final DeviceContext CONTEXT = new DeviceContext("U", "D", "W");
    private static final FunctionSpec FUNCTION = new FunctionSpec(
            "f",
            "F",
            List.of(),
            List.of(
                    new ParameterSpec("p", "P", "string", true, List.of(), null),
                    new ParameterSpec("q", "Q", "int", false, null, null)));

    private PromptHash() {}

    static String of(PromptSettings settings, String tokenizerSha256) {
        ScenarioCatalog catalog =
                new ScenarioCatalog(List.of(new Scenario("A", "甲"), new Scenario("B", "乙")), Map.of("f", "B"));
        PromptRenderer renderer = new PromptRenderer(settings, catalog, screenshot -> "S");
        CandidatePool pool = new CandidatePool(
                List.of("B", "A"), List.of(FUNCTION, new FunctionSpec("g", "G", List.of(), List.of())));
        Perception perception = new Perception(0.5, Map.of("B", 0.25));
        Sample text = new Sample("t", 1, null, null, CONTEXT, new TextTrajectory(List.of("1", "2")), null);
        Sample screen = new Sample(
                "s",
                1,
                null,
                null,
                CONTEXT,
                new ScreenTrajectory(List.of(new Frame.Screenshot("1"), new Frame.Caption("2"))),
                null);
        String probes = Piece.text(renderer.chat(text, perception, pool))
                + '\u0000'
                + Piece.text(renderer.chat(screen, perception, pool))
                + '\u0000'
                + (settings.wording() == PromptWording.ENGLISH ? bare(renderer) : "")
                + text(settings)
                + '\u0000'
                + tokenizerSha256;
        return AtomicFiles.sha256(probes.getBytes(StandardCharsets.UTF_8));
    }

    /** Models that were trained before screenshots could be limited have the hash of no limit. */
    private static String text(PromptSettings settings) {
        return settings.toString().replace(", maxScreenshots=null]", "]");
    }

    /** A prompt of a sample with a blank context. */
    private static String bare(PromptRenderer renderer) {
        Sample sample =
                new Sample("b", 1, null, null, new DeviceContext("", "", ""), new TextTrajectory(List.of("1")), null);
        return Piece.text(renderer.chat(sample, null, new CandidatePool(List.of(), List.of(FUNCTION)))) + '\u0000';
    }
}
