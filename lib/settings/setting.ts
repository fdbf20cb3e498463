/** The heading under which `--help` lists a setting. */
export type SettingGroup =
  | 'The target'
  | 'Fixtures'
  | 'What is judged'
  | 'Pace and bounds'
  | 'Reports and output'
  | 'Connection'

/** How the text of a setting is read, and the bounds that belong to that. */
export type SettingKind =
  | { readonly kind: 'integer'; readonly minimum: number; readonly maximum: number }
  /** Above 0. */
  | { readonly kind: 'number'; readonly maximum: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | {
      readonly kind: 'base-url' | 'credential' | 'query' | 'endpoint' | 'rules' | 'text' | 'path' | 'proxy'
    }

/** What every entry of the table says about its setting. */
export interface SettingText<Name extends string = string> {
  /** As in the environment. */
  readonly name: Name
  /** Without the dashes; null where the setting has no flag. */
  readonly flag: string | null
  /** The flag's argument for `--help`, as `<url>`; null where the flag takes none, or there is no flag. */
  readonly argument: string | null
  /** One sentence for `--help`. */
  readonly about: string
  readonly group: SettingGroup
  /** Whether its value must never be shown. */
  readonly secret: boolean
  /** As one would write it; absent where there is none, or where the profile or the address decides. */
  readonly default?: string
}

/** An entry of the table of settings. */
export type Setting<Name extends string = string> = SettingText<Name> & SettingKind

/** The largest number that x-version, a seed or a bound may be: 2^31 - 1. */
export const largest = 2_147_483_647

/** The entry of a credential: a secret without a flag, since flags show in the process list. */
export function credential<const Name extends string>(name: Name, group: SettingGroup, about: string) {
  return { name, flag: null, argument: null, kind: 'credential', about, group, secret: true } as const
}
