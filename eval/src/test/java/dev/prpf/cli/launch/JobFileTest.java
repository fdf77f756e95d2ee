package dev.prpf.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.UsageException;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.SecretKeySelector;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import io.fabric8.kubernetes.api.model.batch.v1.PodFailurePolicyRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JobFileTest {
    /** Parses Kubernetes' schema strictly: the classes' maps for unknown fields are disabled. */
    private static final YAMLMapper STRICT = YAMLMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .annotationIntrospector(new JacksonAnnotationIntrospector() {
                private static final long serialVersionUID = 1L;

                @Override
                public Boolean hasAnySetter(Annotated annotated) {
                    return false;
                }
            })
            .build();

    private static final LaunchPlan ONE = new LaunchPlan(List.of(List.of("train", "--data", "a 'b' $HOME $(x)")), null);
    private static final LaunchPlan THREE =
            new LaunchPlan(List.of(List.of("train", "1"), List.of("train", "2"), List.of("train", "3")), null);

    @TempDir
    Path directory;

    private String render(Target to, LaunchPlan plan, String... overrides) {
        return new JobFile("train-1", directory.resolve("a launch"), plan, Launches.config(overrides), false)
                .render(to, null);
    }

    private static Job job(String manifest) throws IOException {
        return STRICT.readValue(manifest, Job.class);
    }

    private static List<String> directives(String script) {
        return script.lines().filter(line -> line.startsWith("#SBATCH")).toList();
    }

    @Test
    void slurmIsAskedForWhatTheConfigurationSays() {
        String[] asked = {
            "gpus=2",
            "cpus=8",
            "memory-gib=64",
            "time='1-00:00:00'",
            "grace=300",
            "slurm.partition=gpu",
            "slurm.account=lab",
            "slurm.qos=long",
            "slurm.options=[--exclusive, --constraint=a100]"
        };
        assertThat(directives(render(Target.SLURM, ONE, asked)))
                .containsExactly(
                        "#SBATCH --job-name=train-1",
                        "#SBATCH --output='" + directory + "/a launch/logs/0.log'",
                        "#SBATCH --open-mode=append",
                        "#SBATCH --chdir=" + Path.of("").toAbsolutePath(),
                        "#SBATCH --nodes=1",
                        "#SBATCH --ntasks=1",
                        "#SBATCH --cpus-per-task=8",
                        "#SBATCH --mem=64G",
                        "#SBATCH --gpus-per-node=2",
                        "#SBATCH --time=1-00:00:00",
                        "#SBATCH --signal=B:USR1@300",
                        "#SBATCH --requeue",
                        "#SBATCH --partition=gpu",
                        "#SBATCH --account=lab",
                        "#SBATCH --qos=long",
                        "#SBATCH --exclusive",
                        "#SBATCH --constraint=a100");
    }

    @Test
    void anArrayRunsAsManyMembersAtATimeAsThereAreNodes() {
        assertThat(directives(render(Target.SLURM, THREE, "nodes=2", "time=null")))
                .contains("#SBATCH --array=0-2%2", "#SBATCH --output='" + directory + "/a launch/logs/%a.log'")
                .noneMatch(line -> line.contains("gpus") || line.contains("time") || line.contains("partition"));
        assertThat(render(Target.LOCAL, THREE, "nodes=2")).contains("{0..2}", "-ge 2 ]");
    }

    @Test
    void aPercentSignOfTheFoldersPathIsNoPatternOfSlurm() {
        JobFile file = new JobFile("n", directory.resolve("50%a"), THREE, Launches.config(), false);
        assertThat(directives(file.render(Target.SLURM, null)))
                .contains("#SBATCH --output=" + directory + "/50%%a/logs/%a.log");
        for (String name : List.of("a\\b", "a\nb", "a\n")) {
            JobFile odd = new JobFile("n", directory.resolve(name), ONE, Launches.config(), false);
            assertThatThrownBy(() -> odd.render(Target.SLURM, null))
                    .isInstanceOf(UsageException.class)
                    .hasMessageStartingWith("the launch's folder, \"" + directory.resolve(name)
                            + "\", has a backslash or a newline in its path");
            assertThat(odd.render(Target.LOCAL, null)).contains("launch='" + directory.resolve(name) + "'");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Target.class,
            names = {"SLURM", "LOCAL"})
    void scriptsAreWhole(Target to) throws IOException, InterruptedException {
        String script = render(to, THREE, "environment={PRPF_HEAP: 4g, B: 'x y'}", "profile='cuda,encoders'", "gpus=1");
        assertThat(script)
                .contains(
                        "export B='x y'\nexport PRPF_HEAP=4g\n",
                        "profile=cuda\n",
                        "encoders=,encoders\n",
                        "gpus=1\n",
                        "cpus=2\n")
                .contains("launch='" + directory + "/a launch'\n")
                .doesNotContain("{{");
        Path file = Files.writeString(directory.resolve("job.sh"), script);
        assertThat(new ProcessBuilder("bash", "-n", file.toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
    }

    @Test
    void aJobOfKubernetesFitsItsSchemaAndGivesUpByExitCode() throws IOException {
        JobSpec spec = job(render(Target.KUBERNETES, ONE, "gpus=1", "environment={A: '1$2'}"))
                .getSpec();
        assertThat(spec.getCompletionMode()).isEqualTo("NonIndexed");
        assertThat(spec.getCompletions()).isEqualTo(1);
        assertThat(spec.getBackoffLimit()).isEqualTo(3);
        assertThat(spec.getBackoffLimitPerIndex()).isNull();
        assertThat(spec.getSuspend()).isNull();
        List<PodFailurePolicyRule> rules = spec.getPodFailurePolicy().getRules();
        assertThat(rules).extracting(PodFailurePolicyRule::getAction).containsExactly("FailJob", "Ignore", "Ignore");
        assertThat(rules.get(0).getOnExitCodes().getValues()).containsExactly(1, 2, 3, 10, 11, 65, 69, 78);
        assertThat(rules.get(1).getOnExitCodes().getValues()).containsExactly(75);
        assertThat(rules.get(2).getOnPodConditions().get(0).getType()).isEqualTo("DisruptionTarget");
        PodSpec pod = spec.getTemplate().getSpec();
        assertThat(pod.getRestartPolicy()).as("a failure policy takes no other").isEqualTo("Never");
        assertThat(pod.getTerminationGracePeriodSeconds()).isEqualTo(120);
        Container container = pod.getContainers().get(0);
        assertThat(container.getName()).as("whose exit codes the policy reads").isEqualTo("prpf");
        assertThat(container.getResources().getLimits().get("nvidia.com/gpu")).hasToString("1");
        assertThat(container.getResources().getRequests().get("memory")).hasToString("16Gi");
        assertThat(container.getEnv().get(0).getValue())
                .as("the kubelet reads $$ as $")
                .isEqualTo("1$$2");
        assertThat(container.getArgs()).hasSize(3);
        assertThat(container.getArgs().get(0))
                .as("the kubelet expands $(NAME) and $$")
                .contains("run_member\n", "term=hand-on", "seconds=14280", "launch=''")
                .doesNotContain("$$");
        assertThat(container.getArgs().get(2)).isEqualTo("train --data 'a '\\''b'\\'' $$HOME $$(x)'");
    }

    @Test
    void secretsAreReferredToAndNotWritten() throws IOException {
        Job job = job(render(
                Target.KUBERNETES,
                ONE,
                "environment={HF_HOME: /runs/hub}",
                "kubernetes.secrets={HF_TOKEN: hub/token}"));
        List<EnvVar> variables =
                job.getSpec().getTemplate().getSpec().getContainers().get(0).getEnv();
        assertThat(variables).extracting(EnvVar::getName).containsExactly("HF_HOME", "HF_TOKEN");
        assertThat(variables.get(0).getValue()).isEqualTo("/runs/hub");
        assertThat(variables.get(1).getValue()).isNull();
        assertThat(variables.get(1).getValueFrom().getSecretKeyRef())
                .extracting(SecretKeySelector::getName, SecretKeySelector::getKey)
                .containsExactly("hub", "token");
    }

    @Test
    void anArrayIsAnIndexedJobWithRetriesOfEachIndex() throws IOException {
        Job job = job(render(Target.KUBERNETES, THREE, "nodes=2", "time=null"));
        JobSpec spec = job.getSpec();
        assertThat(spec.getCompletionMode()).isEqualTo("Indexed");
        assertThat(spec.getCompletions()).isEqualTo(3);
        assertThat(spec.getParallelism()).isEqualTo(2);
        assertThat(spec.getBackoffLimit()).isNull();
        assertThat(spec.getBackoffLimitPerIndex()).isEqualTo(3);
        assertThat(spec.getPodFailurePolicy().getRules().get(0).getAction()).isEqualTo("FailIndex");
        assertThat(spec.getTemplate().getSpec().getContainers().get(0).getArgs())
                .endsWith("train 1", "train 2", "train 3");
        assertThat(job.getMetadata().getLabels()).containsOnlyKeys("app.kubernetes.io/name");
    }

    @Test
    void queuesAreNamedAsKueueAndVolcanoReadThem() throws IOException {
        Job kueue = job(render(Target.KUBERNETES, ONE, "kubernetes.queue-system=kueue", "kubernetes.queue=team"));
        assertThat(kueue.getMetadata().getLabels()).containsEntry("kueue.x-k8s.io/queue-name", "team");
        assertThat(kueue.getSpec().getSuspend()).isTrue();
        assertThat(kueue.getSpec().getTemplate().getSpec().getSchedulerName()).isNull();
        Job volcano = job(render(Target.KUBERNETES, ONE, "kubernetes.queue-system=volcano", "kubernetes.queue=team"));
        assertThat(volcano.getSpec().getTemplate().getMetadata().getAnnotations())
                .containsEntry("scheduling.volcano.sh/queue-name", "team");
        assertThat(volcano.getSpec().getTemplate().getSpec().getSchedulerName()).isEqualTo("volcano");
        assertThat(volcano.getSpec().getSuspend()).isNull();
    }

    private Container container(String... overrides) throws IOException {
        return job(render(Target.KUBERNETES, ONE, overrides))
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .get(0);
    }

    @Test
    void theImageIsTheOneThatHoldsTheBuild() throws IOException {
        assertThat(container().getImage()).isEqualTo("prpf:cpu");
        Container cuda = container("gpus=1");
        assertThat(cuda.getImage()).isEqualTo("prpf:cuda");
        assertThat(cuda.getArgs().get(0)).contains("profile=cuda\n");
        assertThat(container("gpus=1", "kubernetes.image='host:5000/team/prpf'").getImage())
                .isEqualTo("host:5000/team/prpf:cuda");
        assertThat(container("gpus=1", "kubernetes.image='host:5000/team/prpf:1.2'")
                        .getImage())
                .isEqualTo("host:5000/team/prpf:1.2");
    }

    @Test
    void aBuildWithoutAnImageNeedsOneWithATag() throws IOException {
        assertThatThrownBy(() -> container("gpus=1", "profile=cuda-mpp"))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessage(
                        "kubernetes.image = prpf has no tag, and the Dockerfile makes no image of profile = cuda-mpp,"
                                + " only of cpu and cuda; name an image that holds this build, with its tag");
        assertThat(container("profile=cuda-mpp", "kubernetes.image='prpf:mpp'").getImage())
                .isEqualTo("prpf:mpp");
    }

    @Test
    void theSchemaRefusesWhatItDoesNotKnow() {
        String manifest = render(Target.KUBERNETES, ONE);
        for (String wrong : List.of(
                manifest.replace("backoffLimit:", "backOffLimit:"),
                manifest.replace("restartPolicy:", "restart:"),
                manifest.replace("workingDir:", "workDir:"))) {
            assertThatThrownBy(() -> job(wrong)).isInstanceOf(UnrecognizedPropertyException.class);
        }
    }

    @Test
    void aTemplateOfOnesOwnTakesThePlaceOfTheShippedOne() throws IOException {
        Path own = Files.writeString(directory.resolve("own.sh"), "#SBATCH -c {{cpus}}\n{{member-script}}\n");
        JobFile file = new JobFile("n", directory, ONE, Launches.config("cpus=7"), false);
        assertThat(file.render(Target.SLURM, own)).startsWith("#SBATCH -c 7\n# What every job does");
        Files.writeString(own, "#SBATCH {{image}}\n{{member-script}}\n");
        assertThatThrownBy(() -> file.render(Target.SLURM, own))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageStartingWith(own + ":1: {{image}} is an unknown name");
    }
}
