import { Agent, type ClientRequestArgs } from 'node:http'
import { Duplex } from 'node:stream'
import { openConnector } from '../http/connector.ts'
import type { Target } from '../http/target.ts'
import type { Connector } from '../http/tunnel.ts'

/** How the target is reached. */
export interface ReachOptions {
  readonly timeoutMs: number
  /** PEM text of authorities that are trusted besides the system's, or null. */
  readonly ca: string | null
  readonly httpsProxy: string | null
  readonly noProxy: string | null
}

/** Below the five seconds after which many services, Node's own among them, close an idle connection. */
const idleMs = 4_000

type Opened = (error: Error | null, socket: Duplex) => void

/** Keeps connections to the target, encrypted and through a further proxy where need be, for `http.request`. */
export class TargetAgent extends Agent {
  readonly #target: Target
  readonly #connector: Connector

  constructor(target: Target, options: ReachOptions) {
    super({ keepAlive: true, timeout: idleMs })
    this.#target = target
    this.#connector = openConnector({ ...options, origin: target.origin })
  }

  override createConnection(_: ClientRequestArgs, opened: Opened = () => {}): undefined {
    const { hostname, port, host, isEncrypted } = this.#target
    const options = { hostname, port, host, protocol: isEncrypted ? 'https:' : 'http:' }
    this.#connector.connect(options, (error, socket) => {
      // Beside an error nobody looks at the stream.
      opened(error, error === null ? socket : new Duplex())
    })
  }

  /** Cuts every connection. */
  async close(): Promise<void> {
    this.destroy()
    await this.#connector.close()
  }
}
