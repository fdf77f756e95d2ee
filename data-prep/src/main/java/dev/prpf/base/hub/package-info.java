/**
 * Models and data sets from a Hugging Face hub, by the ecosystem's conventions: its environment variables ({@link
 * dev.prpf.base.hub.HubEnvironment}) and its shared cache, which Python's {@code huggingface_hub} (read here at 2.4.0) reads and writes,
 * too. {@link dev.prpf.base.hub.HubDownload} is the entry. Nothing outside this package and the command {@code data hub get} reaches it.
 *
 * <p>Flow: {@link dev.prpf.base.hub.HubRequest} → commit and files ({@code HubClient}) → {@link
 * dev.prpf.base.hub.HubPlan} → {@code BlobDownload}, one a file that is missing → {@code HubTarget}, the cache or a folder.
 *
 * <p>Invariants: what stands under a name is whole and its checksum was right; a ref names a commit only after all its wanted files are
 * there; the token goes to the endpoint's own origin and nowhere else.
 */
@NullMarked
package dev.prpf.base.hub;

import org.jspecify.annotations.NullMarked;
