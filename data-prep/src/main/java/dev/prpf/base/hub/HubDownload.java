package dev.prpf.base.hub;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.http.Retrier;
import dev.prpf.base.http.TimedExchange;
import dev.prpf.base.run.StopSignal;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Downloads files of a repository: first a plan, which writes nothing, then the missing files. */
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
     * Compares the repository's files with the local ones; offline, lists the cached files.
     *
     * @throws PrpfException 69 if repository, revision or file do not exist, the hub does not answer, or an offline cache lacks
     *     them; 65 for an invalid listing
     */
    public HubPlan plan(HubRequest request) {
        if (environment.offline()) {
            return cached(request);
        }
        HubClient client = client(request);
        String commit = HubRequest.isCommit(request.revision()) ? request.revision() : client.commit();
        HubTarget target = target(request);
        List<HubFile> wanted = wanted(request, client.files(commit));
        List<HubPlan.Entry> entries = new ArrayList<>();
        String failure = target.root(commit) + ": cannot be read";
        for (HubFile file : wanted) {
            boolean cached = IoFailure.whileReading(failure, () -> target.has(commit, file));
            entries.add(new HubPlan.Entry(file.path(), file.size(), cached));
        }
        return new HubPlan(request, commit, target.root(commit), entries, wanted);
    }

    /** Plans with the cached files of a revision; the revision may have more. */
    private HubPlan cached(HubRequest request) {
        HubCache cache = new HubCache(environment, request.repository());
        String commit = HubRequest.isCommit(request.revision()) ? request.revision() : cache.ref(request.revision());
        List<HubPlan.Entry> entries = commit == null || request.folder() != null
                ? List.of()
                : cache.names(commit).stream()
                        .filter(request.filter()::wants)
                        .map(name -> new HubPlan.Entry(
                                name, cache.root(commit).resolve(name).toFile().length(), true))
                        .toList();
        if (commit == null || entries.isEmpty()) {
            String lack = request.folder() == null
                    ? request.what() + " is not in the cache " + environment.cache()
                    : "only the hub knows which files " + request.folder() + " lacks";
            throw new UnavailableException(
                    "offline (HF_HUB_OFFLINE), and " + lack + "; run again without HF_HUB_OFFLINE");
        }
        return new HubPlan(request, commit, cache.root(commit), entries, List.of());
    }

    /**
     * Downloads the missing files of a plan and records the commit of its revision.
     *
     * @return the folder with the files
     * @throws PrpfException 65 if a file differs from the listing, 69 if it cannot be downloaded or written, 75 when stopped
     */
    public Path fetch(HubPlan plan, StopSignal stop) {
        if (!plan.isListed()) {
            return plan.root();
        }
        HubTarget target = target(plan.request());
        List<HubFile> missing = new ArrayList<>();
        IoFailure.whileWriting(plan.root(), () -> {
            for (HubFile file : plan.listed()) {
                if (target.has(plan.commit(), file)) {
                    target.keep(plan.commit(), file);
                } else {
                    missing.add(file);
                }
            }
        });
        new SnapshotDownload(plan, target, client(plan.request()), stop).run(missing);
        new HubCache(environment, plan.request().repository())
                .writeRef(plan.request().revision(), plan.commit());
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

    private static List<HubFile> wanted(HubRequest request, Collection<HubFile> files) {
        List<HubFile> wanted = files.stream()
                .filter(file -> request.filter().wants(file.path()))
                .toList();
        if (wanted.isEmpty()) {
            String examples = files.stream().map(HubFile::path).limit(NAMED).collect(Collectors.joining(", "));
            throw new UsageException("--include and --exclude select none of the " + files.size() + " files of "
                    + request.what() + "; it has " + examples
                    + (files.size() <= NAMED ? "" : " and " + (files.size() - NAMED) + " more"));
        }
        return wanted;
    }

    /**
     * Files that a request selects, before a download.
     *
     * @param request the repository, revision and files
     * @param commit id that the revision resolves to
     * @param root the folder that holds the files after the download
     * @param files all selected files, by path
     * @param listed all selected files as the hub lists them; empty offline
     */
    public record HubPlan(HubRequest request, String commit, Path root, List<Entry> files, List<HubFile> listed) {
        /**
         * A selected file of the repository.
         *
         * @param path in the repository
         * @param size in bytes
         * @param cached whether the file exists here and is not downloaded
         */
        public record Entry(String path, long size, boolean cached) {}

        /** Returns whether the hub listed the files; if not, they are those of the cache, and the revision may have more. */
        public boolean isListed() {
            return !listed.isEmpty();
        }

        /** Returns the size of all selected files. */
        public long bytes() {
            return files.stream().mapToLong(Entry::size).sum();
        }

        List<Entry> missing() {
            return files.stream().filter(file -> !file.cached()).toList();
        }

        /** Returns the size of the files to download. */
        public long missingBytes() {
            return missing().stream().mapToLong(Entry::size).sum();
        }
    }

    /** Destination of a repository's files: a cache or a folder. */
    interface HubTarget {
        /** Returns the folder for the files of a commit under their names. */
        Path root(String commit);

        /** Returns whether the target has a file's whole content. */
        boolean has(String commit, HubFile file) throws IOException;

        /** Adds the name of a file to a content that the target has. */
        void keep(String commit, HubFile file) throws IOException;

        /** Returns the path of a partial download, which survives a kill. */
        Path partial(HubFile file);

        /** Returns the path of the lock that a download holds. */
        Path lock(HubFile file);

        /** Moves the downloaded file {@code whole} to its names. */
        void place(String commit, List<HubFile> named, Path whole) throws IOException;
    }

    /** A folder with a repository's files as plain files; partial downloads are in {@code .cache/huggingface/download}. */
    static final class HubFolder implements HubTarget {
        private static final String OURS = ".cache/huggingface";

        private final Path folder;

        HubFolder(Path folder) {
            this.folder = folder.toAbsolutePath().normalize();
        }

        @Override
        public Path root(String commit) {
            return folder;
        }

        private Path place(HubFile file) {
            if (file.path().equals(".cache") || (file.path() + "/").startsWith(OURS + "/")) {
                throw new InvalidDataException("file name \"" + file.path() + "\": must not lie in " + OURS
                        + ", which holds unfinished downloads");
            }
            Path place = folder.resolve(file.path());
            for (Path at = place.getParent(); at != null && !at.equals(folder); at = at.getParent()) {
                if (Files.isSymbolicLink(at)) {
                    throw new InvalidDataException(at
                            + " is a link: files of the repository would be written where it leads; remove it, or name"
                            + " another --out");
                }
            }
            return place;
        }

        private Path unfinished(HubFile file, String ending) {
            return folder.resolve(OURS).resolve("download").resolve(file.path() + ending);
        }

        @Override
        public boolean has(String commit, HubFile file) throws IOException {
            Path place = place(file);
            if (!Files.exists(place)) {
                return false;
            }
            if (Files.isRegularFile(place)
                    && Files.size(place) == file.size()
                    && file.checksum(place, () -> {}).equals(file.etag())) {
                return true;
            }
            throw new UsageException(
                    place + ": exists and differs from the repository's file; move it away, or name another --out");
        }

        @Override
        public void keep(String commit, HubFile file) {
            // a file in the folder already has its name
        }

        @Override
        public Path partial(HubFile file) {
            return unfinished(file, "." + file.etag() + ".prpf.incomplete");
        }

        @Override
        public Path lock(HubFile file) {
            return unfinished(file, ".lock");
        }

        @Override
        public void place(String commit, List<HubFile> named, Path whole) throws IOException {
            Path place = place(named.get(0)); // the path is a part of the partial file's name: no two share one
            Files.createDirectories(place.resolveSibling("."));
            AtomicFiles.move(whole, place);
        }
    }
}
