package dev.prpf.base.hub;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.http.Retrier;
import dev.prpf.base.http.TimedExchange;
import dev.prpf.base.run.StopSignal;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Files of a repository from the hub to this machine: first a plan, which writes nothing, then what it lacks. */
public final class HubDownload {
    private static final Retrier.Policy POLICY = new Retrier.Policy(5, Duration.ofSeconds(1), Duration.ofMinutes(5));
    private static final int NAMED = 5;

    private final HubEnvironment environment;
    private final Retrier retrier;
    private final HttpClient http;

    public HubDownload(HubEnvironment environment) {
        this(environment, new Retrier(POLICY));
    }

    HubDownload(HubEnvironment environment, Retrier retrier) {
        this.environment = environment;
        this.retrier = retrier;
        http = TimedExchange.client(environment.listingTimeout());
    }

    /**
     * What there is to fetch. A commit whose listing is here is not requested again; offline nothing is.
     *
     * @throws PrpfException 69 where there is no such repository, revision or file, the hub does not answer, or the cache has not all of it
     *     and the network is not to be used; 65 for a listing that cannot be right
     */
    public HubPlan plan(HubRequest request) {
        HubTarget target = target(request);
        String commit = commit(request);
        HubListing listing = listing(request, target, commit);
        if (listing == null) {
            return unlisted(request, commit);
        }
        List<HubPlan.Entry> entries = new ArrayList<>();
        String failure = target.root(commit) + ": cannot be read";
        for (HubFile file : wanted(request, listing)) {
            boolean cached = IoFailure.whileReading(failure, () -> target.has(commit, file));
            entries.add(new HubPlan.Entry(file.path(), file.size(), cached));
        }
        HubPlan plan = new HubPlan(request, commit, target.root(commit), entries, listing);
        List<String> missing = plan.missing().stream().map(HubPlan.Entry::path).toList();
        if (environment.offline() && !missing.isEmpty()) {
            throw offline("of " + request.what() + " the cache lacks " + sample(missing));
        }
        return plan;
    }

    /**
     * Fetches what a plan lacks and notes what its revision stands for.
     *
     * @return the folder with the files
     * @throws PrpfException 65 for a content that is not what was listed, 69 where it cannot be had or written, 75 when stopped
     */
    public Path fetch(HubPlan plan, StopSignal stop) {
        if (plan.listing() == null) {
            return plan.root();
        }
        HubTarget target = target(plan.request());
        List<HubFile> missing = new ArrayList<>();
        List<HubFile> wanted = wanted(plan.request(), plan.listing());
        IoFailure.whileWriting(plan.root(), () -> {
            for (HubFile file : wanted) {
                if (target.has(plan.commit(), file)) {
                    target.keep(plan.commit(), file);
                } else {
                    missing.add(file);
                }
            }
        });
        new SnapshotDownload(plan, target, client(plan.request()), stop).run(missing);
        if (!environment.offline()) {
            plan.listing().write(target.listings());
            new HubCache(environment, plan.request().repository())
                    .writeRef(plan.request().revision(), plan.commit());
        }
        return plan.root();
    }

    private HubClient client(HubRequest request) {
        return new HubClient(environment, request, retrier, http);
    }

    private HubTarget target(HubRequest request) {
        return request.folder() == null
                ? new HubCache(environment, request.repository())
                : new HubFolder(request.folder());
    }

    private String commit(HubRequest request) {
        if (HubRequest.isCommit(request.revision())) {
            return request.revision();
        }
        if (!environment.offline()) {
            return client(request).commit();
        }
        String commit = new HubCache(environment, request.repository()).ref(request.revision());
        if (commit == null) {
            throw offline(request.what() + " is not in the cache " + environment.cache());
        }
        return commit;
    }

    private @Nullable HubListing listing(HubRequest request, HubTarget target, String commit) {
        HubListing here = HubListing.read(target.listings(), commit);
        return here != null || environment.offline() ? here : client(request).listing(commit);
    }

    /** What other programs left of a commit, without saying whether that is all. */
    private HubPlan unlisted(HubRequest request, String commit) {
        HubCache cache = new HubCache(environment, request.repository());
        Path root = cache.root(commit);
        List<HubPlan.Entry> entries = cache.names(commit).stream()
                .filter(request.filter()::wants)
                .map(name -> new HubPlan.Entry(name, root.resolve(name).toFile().length(), true))
                .toList();
        if (entries.isEmpty() || request.folder() != null) {
            String place = request.folder() == null ? "the cache " + environment.cache() : request.folder() + "";
            throw offline(request.what() + " is not in " + place);
        }
        return new HubPlan(request, commit, root, entries, null);
    }

    private static UnavailableException offline(String lack) {
        return new UnavailableException("offline (HF_HUB_OFFLINE), and " + lack + "; run again without HF_HUB_OFFLINE");
    }

    private static List<HubFile> wanted(HubRequest request, HubListing listing) {
        List<HubFile> wanted = listing.files().stream()
                .filter(file -> request.filter().wants(file.path()))
                .toList();
        if (wanted.isEmpty()) {
            throw new UsageException("none of the " + listing.files().size() + " files of " + request.what()
                    + " is wanted by --include and --exclude; it has "
                    + sample(listing.files().stream().map(HubFile::path).toList()));
        }
        return wanted;
    }

    private static String sample(List<String> names) {
        String some = names.stream().limit(NAMED).collect(Collectors.joining(", "));
        return names.size() <= NAMED ? some : some + " and " + (names.size() - NAMED) + " more";
    }
}
