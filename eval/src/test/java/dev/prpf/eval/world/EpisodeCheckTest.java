package dev.prpf.eval.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.data.episode.Episode;
import dev.prpf.data.episode.EpisodeStep;
import dev.prpf.data.episode.EpisodeStep.Action;
import dev.prpf.data.world.scenario.PareScenario;
import dev.prpf.data.world.scenario.Scenario;
import dev.prpf.eval.world.EpisodeMetrics.Mode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class EpisodeCheckTest {
    private static final Scenario TIDY = StrictYaml.readText(
            "tidy.yaml",
            """
            scenario: tidy
            start: "2026-03-02T08:00:00Z"
            apps: {Notes: {app: notes}}
            expected:
              - {id: x1, call: Notes.search, with: {query: talk}}
              - {id: x2, call: propose, with: {text: "Delete the note?"}}
              - {id: x3, by: user, call: accept}
              - {id: x4, call: Notes.delete, with: {note_id: n1, hard: false}}
            checks: {needed: {x2: [], x4: [note_id]}, forbidden: [Notes.share]}
            """,
            Scenario.class,
            List.of());

    private static Episode episode(List<EpisodeStep> steps) {
        Episode.Header header = new Episode.Header(
                Episode.FORMAT,
                "e",
                "tidy",
                null,
                null,
                "test",
                null,
                Episode.Clock.ORDER,
                Map.of(),
                List.of(),
                null,
                Map.of());
        List<EpisodeStep> numbered = new ArrayList<>();
        Integer open = null;
        for (EpisodeStep step : steps) {
            int n = numbered.size();
            if (step instanceof EpisodeStep.Proposal one) {
                open = n;
                numbered.add(new EpisodeStep.Proposal(n, null, null, one.texts()));
            } else if (step instanceof EpisodeStep.Reply one) {
                numbered.add(new EpisodeStep.Reply(n, null, null, open, one.answer(), one.text()));
                open = null;
            } else if (step instanceof Action one) {
                numbered.add(new Action(
                        n,
                        null,
                        null,
                        one.actor(),
                        one.app(),
                        one.function(),
                        one.args(),
                        one.effect(),
                        one.result(),
                        one.error(),
                        null));
            } else if (step instanceof EpisodeStep.Message one) {
                numbered.add(new EpisodeStep.Message(n, null, null, one.from(), one.text()));
            }
        }
        numbered.add(new EpisodeStep.End(numbered.size(), null, null, null, EpisodeStep.Why.DONE, null));
        return new Episode(header, numbered);
    }

    private static Action write(String function, Map<String, JsonNode> args) {
        return new Action(
                0,
                null,
                null,
                EpisodeStep.Actor.EXECUTE,
                "Notes",
                function,
                args,
                EpisodeStep.Effect.WRITE,
                "ok",
                null,
                null);
    }

    private static EpisodeStep reply(EpisodeStep.Answer answer) {
        return new EpisodeStep.Reply(0, null, null, null, answer, null);
    }

    private static final EpisodeStep PROPOSAL = new EpisodeStep.Proposal(0, null, null, List.of("Tidy up?"));
    private static final EpisodeStep YES = reply(EpisodeStep.Answer.ACCEPT);
    private static final EpisodeStep NO = reply(EpisodeStep.Answer.REJECT);
    private static final Action DELETE = write("delete", Map.of("note_id", TextNode.valueOf("n1")));

    private static List<String> faults(Mode mode, EpisodeStep... steps) {
        return EpisodeCheck.faults(TIDY, episode(List.of(steps)), mode);
    }

    @Test
    void neededCallsAndArguments_decideInBothModes() {
        assertThat(faults(Mode.PARE, PROPOSAL, YES, DELETE)).isEmpty();
        assertThat(faults(Mode.STRICT, PROPOSAL, YES, DELETE)).isEmpty();
        assertThat(faults(Mode.PARE, PROPOSAL, YES))
                .containsExactly("x4: Notes.delete is missing, or differs in [note_id]");
        assertThat(faults(Mode.PARE, YES, write("delete", Map.of("note_id", TextNode.valueOf("n2")))))
                .containsExactly(
                        "x2: propose is missing, or differs in []",
                        "x4: Notes.delete is missing, or differs in [note_id]");
        assertThat(faults(Mode.PARE, PROPOSAL, YES, DELETE, write("share", Map.of())))
                .containsExactly("step 3: Notes.share is forbidden");
    }

    @Test
    void strict_requiresPermissionAndNoOtherWrites() {
        assertThat(faults(Mode.PARE, DELETE, PROPOSAL, NO)).isEmpty();
        assertThat(faults(Mode.STRICT, DELETE, PROPOSAL, NO))
                .containsExactly("step 0: a write without permission", "no proposal was accepted");
        assertThat(faults(Mode.STRICT, PROPOSAL, YES, PROPOSAL, NO, DELETE))
                .containsExactly("step 4: a write without permission");
        assertThat(faults(Mode.STRICT, PROPOSAL, YES, DELETE, DELETE))
                .containsExactly("step 3: Notes.delete is not an expected write");
    }

    @Test
    void aProposalBeforeTheEntryOfSilence_isAFault() {
        Scenario silent = StrictYaml.readText(
                "tidy.yaml",
                TIDY.write().replace("checks:", "checks:\n  silent-before: x1"),
                Scenario.class,
                List.of());
        Action search = write("search", Map.of("query", TextNode.valueOf("talk")));
        Action other = write("search", Map.of("query", TextNode.valueOf("lunch")));
        assertThat(EpisodeCheck.faults(silent, episode(List.of(search, PROPOSAL, YES, DELETE)), Mode.PARE))
                .isEmpty();
        assertThat(EpisodeCheck.faults(silent, episode(List.of(other, PROPOSAL, search, YES, DELETE)), Mode.PARE))
                .containsExactly("step 1: a proposal before x1");
        assertThat(EpisodeCheck.faults(silent, episode(List.of(PROPOSAL, YES, DELETE)), Mode.PARE))
                .as("the entry never happens")
                .containsExactly("step 0: a proposal before x1");
    }

    @Test
    void anIgnoredProposal_isNoRejection() {
        EpisodeMetrics metrics = EpisodeMetrics.of(
                episode(List.of(PROPOSAL, reply(EpisodeStep.Answer.IGNORE), PROPOSAL, NO)), Mode.STRICT, null);
        EpisodeScore score = EpisodeScore.of(Mode.STRICT, List.of(metrics), List.of());
        assertThat(score.decisions())
                .containsEntry(EpisodeMetrics.Decision.IGNORE, 1)
                .containsEntry(EpisodeMetrics.Decision.REJECT, 1);
    }

    private static List<Path> released() throws IOException {
        String root = System.getProperty("prpf.testdata", System.getenv().getOrDefault("PRPF_TESTDATA", ""));
        Path folder = Path.of(root, "pare", "scenarios");
        assumeTrue(Files.isDirectory(folder), () -> "skipped: no " + folder + "; set PRPF_TESTDATA");
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> !file.getFileName().toString().startsWith("_"))
                    .sorted()
                    .toList();
        }
    }

    private static List<EpisodeStep> without(List<EpisodeStep> steps, int index) {
        List<EpisodeStep> left = new ArrayList<>(steps);
        left.remove(index);
        return left;
    }

    private static EpisodeStep changed(EpisodeStep step, String argument) {
        if (step instanceof Action one) {
            Map<String, JsonNode> args = new LinkedHashMap<>(one.args());
            args.put(argument, TextNode.valueOf("changed by the test"));
            return new Action(
                    0,
                    null,
                    null,
                    one.actor(),
                    one.app(),
                    one.function(),
                    args,
                    one.effect(),
                    one.result(),
                    null,
                    null);
        }
        return step instanceof EpisodeStep.Reply one
                ? new EpisodeStep.Reply(0, null, null, null, one.answer(), "changed by the test")
                : step instanceof EpisodeStep.Message one
                        ? new EpisodeStep.Message(0, null, null, one.from(), "changed by the test")
                        : new EpisodeStep.Proposal(0, null, null, List.of("changed by the test"));
    }

    /** Compares verdicts with what PARE's own check said when an entry was left out or an argument changed. */
    @Test
    @Tag("slow")
    void releasedScenarios_pareGivesTheRecordedVerdicts() throws IOException {
        int verdicts = 0;
        int right = 0;
        for (Path file : released()) {
            PareScenario pare = PareScenario.read(file);
            Scenario scenario = pare.toScenario();
            List<EpisodeStep> steps = pare.toEpisode().steps();
            assertThat(EpisodeCheck.faults(scenario, pare.toEpisode(), Mode.PARE))
                    .isEmpty();
            for (int i = 0; i < pare.oracle().size(); i++) {
                PareScenario.Recorded entry = pare.oracle().get(i);
                boolean passed = EpisodeCheck.faults(scenario, episode(without(steps, i)), Mode.PARE)
                        .isEmpty();
                verdicts++;
                right += passed == (entry.required() == null) ? 1 : 0;
                for (String argument : entry.required() == null
                        ? List.<String>of()
                        : entry.args().keySet()) {
                    List<EpisodeStep> other = new ArrayList<>(steps);
                    other.set(i, changed(steps.get(i), argument));
                    passed = EpisodeCheck.faults(scenario, episode(other), Mode.PARE)
                            .isEmpty();
                    verdicts++;
                    right += passed == !Objects.requireNonNull(entry.required()).contains(argument) ? 1 : 0;
                }
            }
        }
        assertThat(verdicts).isEqualTo(916 + 733);
        assertThat(right).as("duplicate_commitment_detection differs in one").isEqualTo(verdicts - 1);
    }

    @Test
    @Tag("slow")
    void releasedScenarios_strictRefusesWhatPareMisses() throws IOException {
        List<String> refused = new ArrayList<>();
        int writing = 0;
        for (Path file : released()) {
            PareScenario pare = PareScenario.read(file);
            Scenario scenario = pare.toScenario();
            List<EpisodeStep> steps = pare.toEpisode().steps();
            if (!EpisodeCheck.faults(scenario, episode(steps), Mode.STRICT).isEmpty()) {
                refused.add(pare.scenario());
            }
            List<EpisodeStep> silent = steps.stream()
                    .filter(step -> !(step instanceof EpisodeStep.Reply))
                    .toList();
            assertThat(EpisodeCheck.faults(scenario, episode(silent), Mode.STRICT))
                    .isNotEmpty();
            List<EpisodeStep> writes = steps.stream()
                    .filter(step -> step instanceof Action one && one.effect() == EpisodeStep.Effect.WRITE)
                    .toList();
            List<EpisodeStep> moved = new ArrayList<>(writes);
            steps.stream().filter(step -> !writes.contains(step)).forEach(moved::add);
            writing += writes.isEmpty() ? 0 : 1;
            assertThat(EpisodeCheck.faults(scenario, episode(moved), Mode.STRICT)
                            .isEmpty())
                    .as(pare.scenario())
                    .isEqualTo(writes.isEmpty());
            List<EpisodeStep> extra = new ArrayList<>(steps.subList(0, steps.size() - 1));
            extra.add(writes.isEmpty() ? write("delete", Map.of()) : changed(writes.get(0), "content"));
            assertThat(EpisodeCheck.faults(scenario, episode(extra), Mode.STRICT))
                    .isNotEmpty();
        }
        assertThat(writing).as("three scenarios expect no write").isEqualTo(100);
        assertThat(refused)
                .as("expected runs that write before the user accepts")
                .containsExactly(
                        "duplicate_order_cancellation_check",
                        "group_gift_purchase_coordination",
                        "meeting_agenda_attachment_correction",
                        "outdated_note_attachment_replacement");
    }
}
