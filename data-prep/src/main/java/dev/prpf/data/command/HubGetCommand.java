package dev.prpf.data.command;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.command.ResultStream;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.hub.HubDownload;
import dev.prpf.base.hub.HubDownload.HubPlan;
import dev.prpf.base.hub.HubEnvironment;
import dev.prpf.base.hub.HubRequest;
import dev.prpf.base.hub.HubRequest.FileFilter;
import dev.prpf.base.hub.HubRequest.Repository;
import dev.prpf.base.run.StopSignal;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code prpf data hub get}: downloads a repository's files to the shared cache or a folder. */
@Command(
        name = "get",
        description = {
            "Download a model or a data set from a Hugging Face hub, and print its folder.",
            "Files go to the cache of Python's huggingface_hub, or with --out to a folder. Existing files are "
                    + "not downloaded again; a stopped or killed download resumes; every checksum is verified."
        },
        footer = {
            "",
            "Examples:",
            "  ./prpf data hub get Qwen/Qwen3-0.6B --include '*.safetensors' --include '*.json'",
            "  ./prpf data hub get openai/clip-vit-base-patch32 --revision 3d74acf9a28c67741b2f4f2ea7635f0aaf6f0268",
            "  HF_ENDPOINT=https://hub.example.org ./prpf data hub get org/set --repo-type dataset --out data/set",
            "Environment: HF_ENDPOINT, HF_HOME, HF_HUB_CACHE, HF_TOKEN, HF_TOKEN_PATH, HF_HUB_OFFLINE,",
            "HF_HUB_DISABLE_SYMLINKS, HF_HUB_DISABLE_IMPLICIT_TOKEN, HF_HUB_ETAG_TIMEOUT, HF_HUB_DOWNLOAD_TIMEOUT."
        })
final class HubGetCommand implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(HubGetCommand.class);

    @Parameters(paramLabel = "REPO", description = "NAME or NAMESPACE/NAME.")
    private String repository = "";

    @Option(
            names = "--revision",
            paramLabel = "R",
            defaultValue = "main",
            description = "Branch, tag or commit (${DEFAULT-VALUE}); only a commit never changes.")
    private String revision = "main";

    @Option(
            names = "--include",
            paramLabel = "GLOB",
            description = "Select only matching files (repeatable); * crosses folders.")
    private List<String> include = List.of();

    @Option(names = "--exclude", paramLabel = "GLOB", description = "Exclude matching files (repeatable).")
    private List<String> exclude = List.of();

    @Option(
            names = "--repo-type",
            paramLabel = "TYPE",
            defaultValue = "model",
            description = "model or dataset (${DEFAULT-VALUE}).")
    private Repository.Type type = Repository.Type.MODEL;

    @Option(names = "--out", paramLabel = "DIR", description = "Folder for plain files, instead of the shared cache.")
    private @Nullable Path out;

    @Mixin
    private JsonOption output;

    @Option(names = "--dry-run", description = "Print what would be downloaded, download nothing.")
    private boolean dryRun;

    private final Map<String, String> environment;

    public HubGetCommand() {
        this(System.getenv());
    }

    HubGetCommand(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public void run() {
        HubRequest request = request();
        HubDownload download = new HubDownload(HubEnvironment.of(environment));
        HubPlan plan = download.plan(request);
        if (!plan.isListed()) {
            LOG.warn("offline: using the cached files of {}; the revision may have more", request.repository());
        }
        if (!dryRun) {
            try (StopSignal stop = StopSignal.install()) {
                download.fetch(plan, stop);
            }
        }
        report(plan);
    }

    private HubRequest request() {
        try {
            return new HubRequest(new Repository(type, repository), revision, new FileFilter(include, exclude), out);
        } catch (IllegalArgumentException e) {
            throw new UsageException("data hub get: " + e.getMessage());
        }
    }

    private void report(HubPlan plan) {
        if (output.json) {
            ResultStream.json(download(plan));
        } else if (dryRun) {
            plan.files()
                    .forEach(file -> ResultStream.line(String.format(
                            Locale.ROOT,
                            "%-7s %,16d  %s",
                            file.cached() ? "here" : "missing",
                            file.size(),
                            file.path())));
            ResultStream.line(String.format(
                    Locale.ROOT,
                    "%,d of %,d bytes would be downloaded to %s",
                    plan.missingBytes(),
                    plan.bytes(),
                    plan.root()));
        } else {
            LOG.info(
                    "{} is commit {}; --revision {} gets the same again",
                    plan.request().revision(),
                    plan.commit(),
                    plan.commit());
            ResultStream.line(plan.root().toString());
        }
    }

    /** The result for {@code --json}, with the state of the files before the download. */
    private record Download(
            String repo,
            String repoType,
            String revision,
            String commit,
            String path,
            long bytes,
            long missingBytes,
            List<HubPlan.Entry> files,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Boolean dryRun) {}

    private Download download(HubPlan plan) {
        return new Download(
                repository,
                EnumName.of(type),
                revision,
                plan.commit(),
                plan.root().toString(),
                plan.bytes(),
                plan.missingBytes(),
                plan.files(),
                dryRun ? true : null);
    }
}
