package dev.prpf.base.hub;

/** What a repository holds. */
public enum RepositoryType {
    MODEL("models", ""),
    DATASET("datasets", "datasets/");

    /** Its name in the API's addresses and in the cache's folders. */
    final String plural;
    /** What stands before the repository's id in the addresses of its files. */
    final String prefix;

    RepositoryType(String plural, String prefix) {
        this.plural = plural;
        this.prefix = prefix;
    }
}
