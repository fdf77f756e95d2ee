package dev.prpf.cli.launch;

import dev.prpf.base.error.PrpfException.UnavailableException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Submits to Slurm through {@code sbatch}, {@code squeue} and {@code scancel}. */
record SlurmScheduler(Programs programs) implements NotedScheduler {
    private static final int COLUMNS = 4;

    @Override
    public String submit(LaunchFolder folder, List<Integer> members) {
        List<String> command = new ArrayList<>(List.of("sbatch", "--parsable"));
        if (members.size() < folder.launch().members().size()) {
            String numbers = members.stream().map(String::valueOf).collect(Collectors.joining(","));
            command.add("--array=" + numbers + "%" + folder.launch().nodes());
        }
        command.add(folder.job().toString());
        String answer = programs.run(command).strip();
        String id = answer.split(";", -1)[0]; // the cluster's name follows, if there are several
        if (!id.matches("\\d+")) {
            throw new UnavailableException(
                    "sbatch --parsable printed \"" + answer + "\", which does not begin with a job id");
        }
        return id;
    }

    @Override
    public Map<Integer, String> known(LaunchFolder folder) {
        String table = programs.run(List.of("squeue", "--noheader", "--array", "--me", "--format=%F|%K|%T|%r"));
        Map<Integer, String> known = new HashMap<>();
        for (String line : table.lines().toList()) {
            String[] columns = line.split("\\|", -1);
            if (columns.length == COLUMNS && columns[0].strip().equals(folder.id())) {
                String member = columns[1].strip();
                String reason = columns[3].strip();
                known.put(
                        member.matches("\\d+") ? Integer.parseInt(member) : 0,
                        columns[2].strip() + (reason.equals("None") ? "" : " (" + reason + ")"));
            }
        }
        return known;
    }

    @Override
    public void cancel(LaunchFolder folder) {
        programs.run(List.of("scancel", folder.id()));
    }
}
