import { Command, Option } from 'commander'
import { addSettingOptions } from './setting-options.ts'

/** The settings that the proxy reads, with what they say of a proxy where that differs. */
const settings: ReadonlyMap<string, string | null> = new Map([
  ['TARGET_BASE_URL', null],
  [
    'RUN_SEED',
    'Decides the changes: the same seed changes the same answers in the same way. (default: 20260101)',
  ],
  ['RUN_TIMEOUT_MS', 'How long to wait for a connection, and for an answer to begin. (default: 60000)'],
  ['RUN_CA_FILE', null],
  ['envFile', null],
])

/** Adds the flags of `proxy`: its own, and those of the settings that it reads. */
export function addProxyOptions(command: Command): Command {
  command
    .allowUnknownOption()
    .allowExcessArguments()
    .option(
      '--changes <names>',
      'which of added, order and opaque, separated by commas',
      'added,order,opaque',
    )
    .option('--host <host>', 'where it listens', '127.0.0.1')
    .option('--port <port>', 'which port; 0 is a free one', '0')
  for (const option of addSettingOptions(new Command()).options) {
    const about = settings.get(option.attributeName())
    if (about !== undefined) command.addOption(described(option, about))
  }
  return command
}

function described(option: Option, about: string | null): Option {
  if (about !== null) option.description = about
  return option.helpGroup('Options:')
}
