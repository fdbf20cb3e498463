import { issue, type SettingIssue } from './issue.ts'

/** Setting of version 0.1 for one share of the cases; a pipeline that still uses it would send all cases in each job. */
const shardSetting = 'RUN_SHARD'

/** Reports a requested shard, from the first source that has the setting; empty counts as not given. */
export function shardsIn(
  sources: readonly Readonly<Record<string, string | undefined>>[],
): readonly SettingIssue[] {
  const given = sources.map((source) => source[shardSetting]?.trim() ?? '').find((text) => text !== '')
  return given === undefined ? [] : [noShards(shardSetting, given, 'not set')]
}

/** Whether an issue comes from {@link shardsIn}. */
export function asksForShard({ setting }: SettingIssue): boolean {
  return setting === shardSetting
}

/** Whether a command-line word is version 0.1's flag for one share of the cases. */
export function isShardFlag(word: string): boolean {
  return /^--shard(?:=|$)/.test(word)
}

/** Issue of a flag or command that asks for shards; `word` is safe to show. */
export function shardWord(word: string): SettingIssue {
  return noShards('the command line', word, 'a command line without it')
}

function noShards(setting: string, given: string, instead: string): SettingIssue {
  const expected = `${instead}: there are no shards any more, since a run waits for the target's rate rather than for the processor, so that N shards of one target take as long as one run`
  const hint =
    'to judge many targets, run the program once for each; compare sets their verdicts side by side'
  return issue(setting, { given, expected, hint })
}
