package dev.prpf.cli.launch;

import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs a job on this machine, as a shell in its own session. Neither Ctrl-C nor a closed terminal reaches the shell; one SIGTERM to its process
 * group reaches each process once.
 */
record LocalScheduler(Programs programs) implements NotedScheduler {
    @Override
    public String submit(LaunchFolder folder, List<Integer> members) {
        List<String> command =
                new ArrayList<>(List.of("setsid", "bash", folder.job().toString()));
        members.forEach(member -> command.add(String.valueOf(member)));
        Process job = programs.startInBackground(command, folder.path().resolve("logs/job.log"));
        return job.pid() + "@" + host();
    }

    @Override
    public Map<Integer, String> known(LaunchFolder folder) {
        Map<Integer, String> known = new HashMap<>();
        if (runs(folder)) {
            for (int member = 0; member < folder.launch().members().size(); member++) {
                known.put(member, "");
            }
        }
        return known;
    }

    /** Returns whether the process with this id still belongs to this job. */
    private static boolean runs(LaunchFolder folder) {
        return ProcessHandle.of(pid(folder))
                .filter(ProcessHandle::isAlive)
                .flatMap(process -> process.info().commandLine())
                .filter(line -> line.contains(folder.job().toString()))
                .isPresent();
    }

    private static long pid(LaunchFolder folder) {
        String[] id = folder.id().split("@", 2);
        if (id.length < 2 || !id[0].matches("\\d+") || !id[1].equals(host())) {
            throw new UsageException(
                    folder.path() + ": runs on another machine (" + folder.id() + "); run this command there");
        }
        return Long.parseLong(id[0]);
    }

    @Override
    public void cancel(LaunchFolder folder) {
        if (runs(folder)) {
            programs.run(List.of("bash", "-c", "kill -TERM -- -\"$0\"", String.valueOf(pid(folder))));
        }
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            throw new UnavailableException("this machine has no name: " + e.getMessage(), e);
        }
    }
}
