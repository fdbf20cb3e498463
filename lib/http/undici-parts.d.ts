// Parts of undici by their own files: its index loads a hundred more, fetch, caches and WebSocket among them. The index also adds methods
// to the classes, which they do not have here.

declare module 'undici/lib/api/api-connect.js' {
  import type { Dispatcher } from 'undici'
  export default function connect(
    this: Pick<Dispatcher, 'dispatch'>,
    options: Omit<Dispatcher.ConnectOptions, 'origin'>,
  ): Promise<Dispatcher.ConnectData>
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici'
  export default buildConnector
}

declare module 'undici/lib/dispatcher/client.js' {
  import { Client as Whole } from 'undici'
  type Client = Omit<Whole, 'connect' | 'pipeline' | 'request' | 'stream' | 'upgrade'>
  const Client: new (...given: ConstructorParameters<typeof Whole>) => Client
  export default Client
}

declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool as Whole } from 'undici'
  type Pool = Omit<Whole, 'connect' | 'pipeline' | 'request' | 'stream' | 'upgrade'>
  const Pool: new (...given: ConstructorParameters<typeof Whole>) => Pool
  export default Pool
}
