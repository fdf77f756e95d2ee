package dev.prpf.eval.calls;

import dev.prpf.eval.suite.DataFolder;
import dev.prpf.eval.suite.Suite;
import dev.prpf.eval.suite.SuiteResult;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * A suite of function-calling tasks, which any reasoner can answer.
 *
 * @param reader reads the tasks; throws 69 if a file is missing, 65 if one is invalid
 * @param rules a note on the source of the rules and deviations from it
 */
public record CallSuite(
        String name,
        String about,
        DataSource source,
        String place,
        Function<DataFolder, List<CallTask>> reader,
        String rules)
        implements Suite {
    /** Returns all function-calling suites. */
    public static List<CallSuite> all() {
        return List.of(Bfcl.SUITE, HammerBench.SUITE, AceBench.SUITE);
    }

    @Override
    public SuiteResult score(SuiteRun run) {
        AnswerOptions options = run.options(this, AnswerOptions.class);
        return options.score(new CallScoring(this, tasks(run.data(this))));
    }

    /** Options that name the reasoner or its answers. */
    public interface AnswerOptions extends SuiteOptions {
        /** Generates or reads the answers to the tasks and scores them; without a reasoner or answers, only the baselines. */
        SuiteResult score(CallScoring scoring);
    }

    /** Returns the tasks in the order of the files. */
    public List<CallTask> tasks(DataFolder data) {
        List<CallTask> tasks = reader.apply(data);
        Set<String> ids = new HashSet<>();
        for (CallTask task : tasks) {
            if (!ids.add(task.id())) {
                throw new IllegalArgumentException("suite " + name + ": task id " + task.id() + " is a duplicate");
            }
        }
        return tasks;
    }
}
