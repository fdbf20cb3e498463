import { seal, unseal, type Credentials, type SealedCredentials } from '../http/secret.ts'
import type { ClientName } from '../spec/clients.ts'
import { clientTable } from './clients.ts'
import type { Fixtures, RunSettings, Settings, Target } from './settings.ts'

type Sealed<Value> = {
  readonly [Key in keyof Value]: Credentials extends Value[Key] ? SealedCredentials | null : Value[Key]
}

/** Settings as plain data that survives structured cloning: it holds credentials in clear, and no `Secret`. */
export interface SealedSettings {
  readonly target: Sealed<Target>
  readonly fixtures: Sealed<Fixtures>
  readonly run: RunSettings
}

/** Turns settings into something that crosses to the worker, where a `Secret` itself would arrive as `{}`. */
export function sealSettings({ target, fixtures, run }: Settings): SealedSettings {
  return {
    target: { ...target, client: sealed(target.client) },
    fixtures: {
      ...fixtures,
      second: sealed(fixtures.second),
      noCustomer: sealed(fixtures.noCustomer),
      inactive: sealed(fixtures.inactive),
      unauthorized: sealed(fixtures.unauthorized),
      exhausted: sealed(fixtures.exhausted),
      disposable: sealed(fixtures.disposable),
    },
    run,
  }
}

/** The way back from {@link sealSettings}. */
export function unsealSettings({ target, fixtures, run }: SealedSettings): Settings {
  return {
    target: { ...target, client: unsealed(target.client) },
    fixtures: {
      ...fixtures,
      second: unsealed(fixtures.second),
      noCustomer: unsealed(fixtures.noCustomer),
      inactive: unsealed(fixtures.inactive),
      unauthorized: unsealed(fixtures.unauthorized),
      exhausted: unsealed(fixtures.exhausted),
      disposable: unsealed(fixtures.disposable),
    },
    run,
  }
}

/** A client's credentials with the client's kind. */
export interface NamedCredentials extends Credentials {
  readonly name: ClientName
}

/** The credentials of every configured client, for scrubbing. */
export function credentialsOf(settings: Settings): readonly NamedCredentials[] {
  return clientTable.flatMap(({ name }) => {
    const credentials = name === 'target' ? settings.target.client : settings.fixtures[name]
    return credentials === null ? [] : [{ name, ...credentials }]
  })
}

function sealed(credentials: Credentials | null): SealedCredentials | null {
  return credentials === null ? null : seal(credentials)
}

function unsealed(credentials: SealedCredentials | null): Credentials | null {
  return credentials === null ? null : unseal(credentials)
}
