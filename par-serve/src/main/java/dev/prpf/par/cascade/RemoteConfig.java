package dev.prpf.par.cascade;

import dev.prpf.par.openai.ServerSettings;
import dev.prpf.par.openai.TokenPrice;
import org.jspecify.annotations.Nullable;

/**
 * A reasoner on a server: {@code configs/remote.yaml}.
 *
 * @param server how it is reached; may change when a run goes on
 * @param reasoner the settings of requests; may not change
 * @param price of its tokens, or null where the cost is not of interest
 */
public record RemoteConfig(ServerSettings server, RemoteSettings reasoner, @Nullable TokenPrice price) {}
