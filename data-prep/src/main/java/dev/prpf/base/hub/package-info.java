/**
 * Downloads models and data sets from a Hugging Face hub, with its environment variables
 * ({@link dev.prpf.base.hub.HubEnvironment}) and its shared cache. Python's {@code huggingface_hub} (2.4.0) uses the same cache.
 * Entry point is {@link dev.prpf.base.hub.HubDownload}. Only the command {@code data hub get} uses this package.
 *
 * <p>Flow: {@link dev.prpf.base.hub.HubRequest} → commit and files ({@code HubClient}) → {@link dev.prpf.base.hub.HubDownload.HubPlan} →
 * {@code BlobDownload}, one per missing file → {@code HubDownload.HubTarget}, the cache or a folder.
 *
 * <p>Invariants: a named file is complete and its checksum was verified. A ref names a commit only after all selected files
 * exist. The token goes to the endpoint's own origin only.
 */
@NullMarked
package dev.prpf.base.hub;

import org.jspecify.annotations.NullMarked;
