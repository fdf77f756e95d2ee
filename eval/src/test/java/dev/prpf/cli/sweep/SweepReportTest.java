package dev.prpf.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.files.LockFile;
import dev.prpf.base.statistics.MeanStd;
import dev.prpf.base.workflow.MemberState;
import dev.prpf.cli.sweep.MemberRun.MemberRecord;
import dev.prpf.cli.sweep.SweepConfig.GatherSettings;
import dev.prpf.cli.sweep.SweepPlan.SweepMember;
import dev.prpf.mpp.command.GateCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SweepReportTest {
    private static final CommandLine COMMANDS = new CommandLine(new GateCommand());

    @TempDir
    Path directory;

    private SweepPlan plan(String... axes) {
        return SweepPlan.of(List.of(axes), List.of("eval", "run", "--out", "{self}/p.jsonl"), directory, COMMANDS);
    }

    /** Each member is done and gave an SR and a constant. */
    private static void done(SweepPlan plan, ToDoubleFunction<SweepMember> sr) {
        for (SweepMember member : plan.members()) {
            ObjectNode result = JsonNodeFactory.instance.objectNode();
            result.putObject("overall")
                    .put("sr", sr.applyAsDouble(member))
                    .put("n", 440)
                    .put("threshold", 0.55);
            result.putArray("curve").add(member.index());
            MemberRecord.of(member, plan.results(member))
                    .and(new MemberRecord.Step("./prpf eval run", 1.5, result))
                    .left(0, null)
                    .write(plan.results(member));
        }
    }

    private static double value(SweepMember member, String key) {
        return Double.parseDouble(Objects.requireNonNull(member.values().get(key)));
    }

    private static MeanStd over(SweepTable table, String metric) {
        return Objects.requireNonNull(table.rows().get(0).metrics().get(metric));
    }

    @Test
    void rowsAreMeansOverSeedsAndColumnsTheNumbersThatDiffer() {
        SweepPlan plan = plan("--shortlist=1,5", "--seed=1..3");
        done(plan, member -> 10 * value(member, "--shortlist") + value(member, "--seed"));
        SweepTable table = SweepTable.of(plan);
        assertThat(table.metrics())
                .as("n is the same in all, the curve is an array")
                .containsExactly("overall.sr");
        assertThat(table.rows()).hasSize(2);
        assertThat(table.rows().get(0).values()).isEqualTo(Map.of("--shortlist", "1"));
        assertThat(table.rows().get(0).members()).isEqualTo(3);
        assertThat(over(table, "overall.sr").mean()).isEqualTo(12);
        assertThat(over(table, "overall.sr").std()).isEqualTo(1);
        assertThat(table.notes()).isEmpty();
        assertThat(table.rowsCsv().lines())
                .startsWith("--shortlist,members,overall.sr,overall.sr:std,overall.sr:ci_low,overall.sr:ci_high")
                .anySatisfy(line -> assertThat(line).startsWith("5,3,52.0,1.0,49.5"));
        assertThat(table.membersCsv().lines())
                .contains("0,\"shortlist=1,seed=1\",1,1,done,0,1.5,11.0")
                .hasSize(7);
    }

    @Test
    void manyNumbers_areShownByTheirHeadlines() throws IOException {
        SweepPlan plan = plan("--shortlist=1..3");
        for (SweepMember member : plan.members()) {
            ObjectNode result = JsonNodeFactory.instance.objectNode();
            ObjectNode overall = result.putObject("overall");
            for (String name : List.of("type_acc", "sr", "ftr", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j")) {
                overall.put(name, member.index());
            }
            MemberRecord.of(member, plan.results(member))
                    .and(new MemberRecord.Step("./prpf eval score", 1.5, result))
                    .left(0, null)
                    .write(plan.results(member));
        }
        SweepReport report = new SweepReport(directory);
        report.add("k", plan);
        report.write();
        assertThat(report.text())
                .contains("overall.type_acc", "overall.sr", "overall.ftr", "Note: 3 of 13 numbers that differ")
                .doesNotContain("overall.a");
        assertThat(Files.readString(report.file())).doesNotContain("overall.a");
        assertThat(Files.readString(directory.resolve("table.csv"))).contains("overall.a", "overall.j");
    }

    @Test
    void thePageHasTableFigureAndThePublishedOne() throws IOException {
        SweepPlan plan = plan("--shortlist=1..3");
        done(plan, member -> 40 + value(member, "--shortlist"));
        SweepReport report = new SweepReport(directory);
        report.add("k", plan.gathering(new GatherSettings("K & SR", Map.of("sr", "#/overall/sr"), "PRPF Table 8")));
        report.write();
        assertThat(Files.readString(report.file()))
                .contains("K &amp; SR</h2>", "3 of 3 members are done.", "sr over --shortlist", "<polyline")
                .contains("PRPF Table 8: scenarios K that the candidate pool holds", "95.52")
                .contains("./prpf eval run --out", "Every member");
        assertThat(directory.resolve("table.csv")).hasContent("--shortlist,members,sr\n1,1,41.0\n2,1,42.0\n3,1,43.0\n");
        assertThat(directory.resolve("table.json")).content().contains("\"metrics\":{\"sr\":41.0}");
        assertThat(report.text()).contains("K & SR", "--shortlist", "  sr", "43");
        assertThat(report.done()).isTrue();
    }

    @Test
    void columnsOfThePublishedTableSayOfWhichSamplesTheyAre() {
        SweepPlan plan = plan("--gating=on,off");
        done(plan, member -> 50);
        SweepReport report = new SweepReport(directory);
        report.add("gate", plan.gathering(new GatherSettings("", Map.of("sr", "#/overall/sr"), "PRPF Table 2")));
        report.write();
        assertThat(report.file()).content().contains(">multimodal sr</th>", ">text sr</th>", ">all sr</th>");
    }

    @Test
    void seedsAloneAreBarsWithTheirInterval() {
        SweepPlan plan = plan("--seed=1..3");
        done(plan, member -> 50 + value(member, "--seed"));
        SweepTable table = SweepTable.of(plan);
        assertThat(new SweepFigures(table).drawings()).singleElement().satisfies(drawing -> {
            assertThat(drawing.caption()).contains("mean over seeds with its 95 percent interval");
            assertThat(drawing.svg()).contains("3 seeds", "52.0", "whisker");
        });
        SweepReport report = new SweepReport(directory);
        report.add("seeds", plan);
        assertThat(report.text())
                .containsPattern("metric +3 members\n")
                .containsPattern("overall.sr +52 ± 1 \\[49.52, 54.48\\]");
    }

    @Test
    void everyPercentageHasABarHoweverSmall() {
        SweepPlan plan = plan("--gating=on,off");
        done(plan, member -> 50);
        Map<String, String> sources = new LinkedHashMap<>();
        sources.put("sr", "#/overall/sr");
        sources.put("ftr", "#/curve/0"); // 0 and 1
        assertThat(new SweepFigures(SweepTable.of(plan.gathering(new GatherSettings("", sources, null)))).drawings())
                .singleElement()
                .satisfies(drawing -> assertThat(drawing.caption()).isEqualTo("sr, ftr"));
    }

    @Test
    void aThresholdHasNoBarAmongPercentages() {
        SweepPlan plan = plan("--gating=on,off");
        done(plan, member -> 50);
        Map<String, String> sources = new LinkedHashMap<>();
        sources.put("sr", "#/overall/sr");
        sources.put("threshold", "#/overall/threshold");
        SweepTable table = SweepTable.of(plan.gathering(new GatherSettings("", sources, null)));
        assertThat(new SweepFigures(table).drawings())
                .singleElement()
                .satisfies(drawing -> assertThat(drawing.caption()).isEqualTo("sr"));
        sources.remove("sr");
        assertThat(new SweepFigures(SweepTable.of(plan.gathering(new GatherSettings("", sources, null)))).drawings())
                .as("alone it has a scale of its own")
                .singleElement()
                .satisfies(drawing -> assertThat(drawing.caption()).isEqualTo("threshold"));
    }

    @Test
    void axesWithoutNumbersAreBarsAndSeveralAxesAreLines() {
        SweepPlan words = plan("--gating=on,off");
        done(words, member -> member.index());
        assertThat(new SweepFigures(SweepTable.of(words)).drawings())
                .singleElement()
                .satisfies(drawing -> assertThat(drawing.svg()).contains("--gating=on", "--gating=off"));
    }

    @Test
    void aLineForEachCombinationOfTheOtherAxes() {
        SweepPlan two = plan("--shortlist=1..3", "--gating=on,off");
        done(two, member -> 1000.0 * member.index());
        assertThat(new SweepFigures(SweepTable.of(two)).drawings())
                .singleElement()
                .satisfies(drawing -> assertThat(drawing.svg()).contains("--gating=on", "--gating=off", "--shortlist"));
    }

    @Test
    void whatIsNotDoneIsNamedWithItsStatusAndLog() throws IOException {
        SweepPlan plan = plan("--shortlist=1..5");
        SweepMember failed = plan.members().get(0);
        MemberRecord.of(failed, plan.results(failed)).left(65, "line 3 is bad").write(plan.results(failed));
        Files.createDirectories(directory.resolve("logs"));
        Files.writeString(plan.log(failed), "error");
        SweepMember stopped = plan.members().get(1);
        MemberRecord.of(stopped, plan.results(stopped)).left(75, null).write(plan.results(stopped));
        SweepMember killed = plan.members().get(2);
        MemberRecord.of(killed, plan.results(killed)).left(null, null).write(plan.results(killed));
        try (LockFile running = Objects.requireNonNull(
                LockFile.tryTake(MemberRun.lock(plan, plan.members().get(3))))) {
            SweepTable table = SweepTable.of(plan);
            assertThat(running).isNotNull();
            assertThat(table.members())
                    .extracting(SweepTable.Line::state)
                    .containsExactly(
                            MemberState.FAILED,
                            MemberState.STOPPED,
                            MemberState.STOPPED,
                            MemberState.RUNNING,
                            MemberState.WAITING);
            assertThat(table.rows()).isEmpty();
            assertThat(SweepTable.sentence(table.members().get(0)))
                    .isEqualTo("shortlist=1: failed, exit 65, log " + plan.log(failed) + ": line 3 is bad");
        }
        SweepReport report = new SweepReport(directory);
        report.add("k", plan);
        report.write();
        assertThat(report.text()).contains("shortlist=1: failed, exit 65", "shortlist=5: waiting");
        assertThat(report.done()).isFalse();
        assertThat(report.file()).content().contains("0 of 5 members are done", "Not done:", "line 3 is bad");
    }

    @Test
    void aMetricThatNoMemberHasIsSaidToBeMissing() {
        SweepPlan plan = plan("--shortlist=1..2");
        done(plan, member -> 1);
        SweepTable table = SweepTable.of(plan.gathering(new GatherSettings("", Map.of("f1", "#/overall/f1"), null)));
        assertThat(table.notes())
                .containsExactly("No member has the metric \"f1\" (#/overall/f1); numbers of their last result are:"
                        + " [overall.sr, overall.n, overall.threshold]");
        assertThat(over(table, "f1").mean()).isNull();
    }

    @Test
    void numbersHaveFourDigits() {
        assertThat(SweepReport.number(69.545454)).isEqualTo("69.55");
        assertThat(SweepReport.number(0.000123456)).isEqualTo("0.0001235");
        assertThat(SweepReport.number(1234567.0)).isEqualTo("1234567");
        assertThat(SweepReport.number(100.0)).isEqualTo("100");
        assertThat(SweepReport.number(0.0)).isEqualTo("0");
        assertThat(SweepReport.number(null)).isEqualTo("–");
    }
}
