package dev.prpf.eval.calls;

import dev.prpf.eval.suite.DataFolder;
import dev.prpf.eval.suite.Suite;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * A suite of function-calling tasks, which any reasoner can answer.
 *
 * @param reader reads the tasks; throws 69 if a file is missing, 65 if one is not what it should be
 * @param rules for the notes: whose rules they are, and where they depart from them
 */
public record CallSuite(
        String name,
        String about,
        DataSource source,
        String place,
        Function<DataFolder, List<CallTask>> reader,
        String rules)
        implements Suite {
    /** Every such suite. */
    public static List<CallSuite> all() {
        return List.of(Bfcl.SUITE, HammerBench.SUITE, AceBench.SUITE);
    }

    /** The tasks, in the order of the files. */
    public List<CallTask> tasks(DataFolder data) {
        List<CallTask> tasks = reader.apply(data);
        Set<String> ids = new HashSet<>();
        for (CallTask task : tasks) {
            if (!ids.add(task.id())) {
                throw new IllegalArgumentException("suite " + name + ": task id " + task.id() + " stands twice");
            }
        }
        return tasks;
    }
}
