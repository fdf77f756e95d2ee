package dev.prpf.cli.launch;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.error.Suggestion;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.workflow.Stage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * Writes the job file of a launch from its template.
 *
 * @param folder of the launch
 * @param perceiverOnGpu whether a member trains the perceiver on a GPU
 */
record JobFile(String name, Path folder, LaunchPlan plan, LaunchConfig config, boolean perceiverOnGpu) {
    /** The builds for which the Dockerfile has a target. */
    private static final List<String> IMAGES = List.of("cpu", "cuda");

    /** @throws PrpfException 69 if prpf was not started by its launcher */
    static Path root() {
        String root = System.getProperty("prpf.root");
        if (root == null) {
            throw new UnavailableException("launch needs prpf.root, the folder of ./prpf; start it with ./prpf");
        }
        return Path.of(root).toAbsolutePath().normalize();
    }

    /**
     * Returns the text of the job file.
     *
     * @param template the user's template; null for the shipped one
     * @throws PrpfException 78 for a template that cannot be filled
     */
    String render(Target target, @Nullable Path template) {
        if (target == Target.SLURM) {
            requireDirective("the launch's folder", folder.toString());
            requireDirective("the folder that launch runs in", work());
        }
        Path shipped = root().resolve("configs/launch");
        Map<String, @Nullable String> values = new TreeMap<>(asked());
        values.put(
                JobTemplate.REQUIRED,
                JobTemplate.read(shipped.resolve("member.sh")).text());
        values.putAll(target == Target.KUBERNETES ? kubernetes() : shell());
        return JobTemplate.read(template == null ? shipped.resolve(target.template) : template)
                .render(values);
    }

    /** Rejects paths that sbatch cannot read: a backslash stops its patterns, a newline ends the directive. */
    private static void requireDirective(String what, String path) {
        if (StringUtils.containsAny(path, "\\\n\r")) {
            throw new UsageException(what + ", \"" + path + "\", has a backslash or a newline in its path, which sbatch"
                    + " does not read; name another (--launch-dir), or launch from elsewhere");
        }
    }

    private static String work() {
        return Path.of("").toAbsolutePath().toString();
    }

    private Map<String, @Nullable String> asked() {
        Long saveAfter = config.saveAfter();
        Map<String, @Nullable String> values = new HashMap<>();
        values.put("name", name);
        values.put("members", String.valueOf(plan.members().size()));
        values.put("last", String.valueOf(plan.members().size() - 1));
        values.put(
                "nodes", String.valueOf(Math.min(config.nodes(), plan.members().size())));
        values.put("gpus", config.gpus() == 0 ? null : String.valueOf(config.gpus()));
        values.put("cpus", String.valueOf(config.cpus()));
        values.put("memory-gib", String.valueOf(config.memoryGib()));
        values.put("time", config.time());
        values.put("seconds", saveAfter == null ? "''" : String.valueOf(saveAfter));
        values.put("grace", String.valueOf(config.grace()));
        return values;
    }

    private boolean array() {
        return plan.members().size() > 1;
    }

    private Map<String, @Nullable String> shell() {
        LaunchConfig.Slurm slurm = config.slurm();
        Map<String, @Nullable String> values = new HashMap<>();
        values.put(
                "variables", variables(folder.toString(), root().resolve("prpf").toString(), config.profile()));
        values.put("environment", config.environment().isEmpty() ? null : assignments("export ", config.environment()));
        values.put("work", Stage.quoted(work()));
        values.put("log", Stage.quoted(slurmPath(folder) + "/logs/" + (array() ? "%a" : "0") + ".log"));
        values.put("array", array() ? "0-" + (plan.members().size() - 1) + "%" + config.nodes() : null);
        values.put("partition", slurm.partition());
        values.put("account", slurm.account());
        values.put("qos", slurm.qos());
        values.put(
                "options", slurm.options().isEmpty() ? null : "#SBATCH " + String.join("\n#SBATCH ", slurm.options()));
        return values;
    }

    /** Escapes percent signs, which begin patterns of sbatch. */
    private static String slurmPath(Path path) {
        return path.toString().replace("%", "%%");
    }

    /** Returns the variables that {@code member.sh} reads, one a line. */
    private String variables(String launch, String prpf, String build) {
        String[] profile = build.split(",", 2);
        Map<String, String> variables = new HashMap<>();
        variables.put("launch", launch);
        variables.put("prpf", prpf);
        variables.put("profile", profile[0]);
        variables.put("encoders", profile.length == 1 ? "" : "," + profile[1]);
        variables.put("perceiver", perceiverOnGpu ? "cuda" : "cpu");
        variables.put("gpus", String.valueOf(config.gpus()));
        variables.put("cpus", String.valueOf(config.cpus()));
        variables.put("restarts", String.valueOf(config.restarts()));
        variables.put("retries", String.valueOf(config.retries()));
        return assignments("", variables);
    }

    /** Returns a line for each variable, sorted by name. */
    private static String assignments(String prefix, Map<String, String> variables) {
        return new TreeMap<>(variables)
                .entrySet().stream()
                        .map(variable -> prefix + variable.getKey() + "=" + Stage.quoted(variable.getValue()))
                        .collect(Collectors.joining("\n"));
    }

    private Map<String, @Nullable String> kubernetes() {
        LaunchConfig.Kubernetes kubernetes = config.kubernetes();
        boolean kueue = kubernetes.queueSystem() == LaunchConfig.QueueSystem.KUEUE;
        boolean volcano = kubernetes.queueSystem() == LaunchConfig.QueueSystem.VOLCANO;
        String retries = String.valueOf(config.retries());
        Map<String, @Nullable String> values = new HashMap<>();
        values.put("variables", variables("", "/opt/prpf/prpf", imageProfile()));
        values.put("environment", containerEnvironment());
        values.put("namespace", json(kubernetes.namespace()));
        values.put("image", json(image()));
        values.put("claim", json(kubernetes.claim()));
        values.put("mount", json(kubernetes.mount()));
        values.put("kueue-queue", kueue ? json(String.valueOf(kubernetes.queue())) : null);
        values.put("suspend", kueue ? "true" : null);
        values.put("volcano-queue", volcano ? json(String.valueOf(kubernetes.queue())) : null);
        values.put("scheduler", volcano ? "volcano" : null);
        values.put("completion-mode", array() ? "Indexed" : "NonIndexed");
        values.put("retries-of-job", array() ? null : retries);
        values.put("retries-of-index", array() ? retries : null);
        values.put("give-up", array() ? "FailIndex" : "FailJob");
        values.put(
                "lines",
                plan.lines().stream()
                        .map(line -> "- " + json(line.replace("$", "$$"))) // the kubelet reads $$ as $
                        .collect(Collectors.joining("\n")));
        return values;
    }

    /** Returns the image's build. An image holds one, so {@code auto} is cuda for members with GPUs and cpu for others. */
    private String imageProfile() {
        return config.profile().replaceFirst("^auto", config.gpus() == 0 ? "cpu" : "cuda");
    }

    /** Returns the image with its tag; the default tag is the build, as in the Dockerfile. */
    private String image() {
        String image = config.kubernetes().image();
        if (image.substring(image.lastIndexOf('/') + 1).matches(".*[:@].*")) {
            return image;
        }
        if (!IMAGES.contains(imageProfile())) {
            throw new InvalidConfigurationException(
                    "kubernetes.image = " + image + " has no tag, and the Dockerfile makes no image of profile = "
                            + imageProfile() + ", only of " + String.join(" and ", IMAGES)
                            + "; name an image that holds this build, with its tag");
        }
        return image + ":" + imageProfile();
    }

    private @Nullable String containerEnvironment() {
        Map<String, Map<String, Object>> variables = new TreeMap<>();
        config.environment()
                .forEach((name, value) ->
                        variables.put(name, new TreeMap<>(Map.of("name", name, "value", value.replace("$", "$$")))));
        config.kubernetes().secrets().forEach((name, secret) -> {
            String[] parts = secret.split("/", 2);
            Map<String, Object> reference = new TreeMap<>(Map.of("name", parts[0], "key", parts[1]));
            variables.put(name, new TreeMap<>(Map.of("name", name, "valueFrom", Map.of("secretKeyRef", reference))));
        });
        return variables.isEmpty() ? null : json(variables.values());
    }

    /** Returns JSON, which is also valid YAML. */
    private static String json(Object value) {
        return JsonRecords.write(value);
    }

    /**
     * The template of a job file, with names in double braces that are replaced by values. A line with a name that has no value is removed; all
     * lines of a value get the indentation of its line.
     */
    record JobTemplate(Path file, String text) {
        /** The required name: without it a job would run no member. */
        static final String REQUIRED = "member-script";

        private static final Pattern NAME = Pattern.compile("\\{\\{([^{}]*)}}");

        /** @throws PrpfException 78 if the file cannot be read */
        static JobTemplate read(Path file) {
            try {
                return new JobTemplate(file, Files.readString(file, StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new InvalidConfigurationException(
                        file + ": cannot be read (" + e + "); give the file of a template to --template");
            }
        }

        /**
         * Returns the text of the job file.
         *
         * @param values by name; null removes the name's line
         * @throws PrpfException 78, listing each unknown name, also for a template without {@link #REQUIRED}
         */
        String render(Map<String, @Nullable String> values) {
            List<String> defects = new ArrayList<>();
            StringBuilder rendered = new StringBuilder();
            boolean complete = false;
            int number = 0;
            for (String line : text.lines().toList()) {
                number++;
                List<String> names = NAME.matcher(line)
                        .results()
                        .map(match -> match.group(1))
                        .toList();
                for (String name : names) {
                    if (!values.containsKey(name)) {
                        defects.add(file + ":" + number + ": {{" + name + "}} is an unknown name"
                                + Suggestion.hint(name, values.keySet()));
                    }
                }
                complete |= names.contains(REQUIRED);
                if (names.stream().allMatch(name -> values.get(name) != null)) {
                    rendered.append(filled(line, values)).append('\n');
                }
            }
            if (!complete) {
                defects.add(
                        file + ": lacks {{" + REQUIRED + "}}, which runs the command; copy it from configs/launch/");
            }
            if (!defects.isEmpty()) {
                throw new InvalidConfigurationException(String.join("\n       ", defects));
            }
            return rendered.toString();
        }

        private static String filled(String line, Map<String, @Nullable String> values) {
            String indentation =
                    line.substring(0, line.length() - line.stripLeading().length());
            return NAME.matcher(line).replaceAll(match -> Matcher.quoteReplacement(value(match, indentation, values)));
        }

        private static String value(MatchResult match, String indentation, Map<String, @Nullable String> values) {
            String value = String.valueOf(values.get(match.group(1))).stripTrailing();
            return value.replace("\n", "\n" + indentation).replaceAll("(?m)^[ \\t]+$", "");
        }
    }
}
