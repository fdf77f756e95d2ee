package dev.prpf.base.hub;

import dev.prpf.base.http.Retrier;

/**
 * What one hub is spoken to with.
 *
 * @param environment how it is reached
 * @param transport sends requests
 * @param retrier sends them again
 * @param api what is asked of it beside contents
 */
record HubConnection(HubEnvironment environment, HubTransport transport, Retrier retrier, HubApi api) {
    static HubConnection to(HubEnvironment environment, Retrier retrier) {
        HubTransport transport = new HubTransport(environment);
        return new HubConnection(environment, transport, retrier, new HubApi(environment, transport, retrier));
    }
}
