import { issue, type SettingIssue } from './issue.ts'

/** The setting of version 0.1 for one share of the cases. A pipeline that still gives it would send all cases in each of its jobs. */
const shardSetting = 'RUN_SHARD'

/** An issue if one of these sources, the first of which wins, asks for a shard; an empty value counts as not given. */
export function shardsIn(
  sources: readonly Readonly<Record<string, string | undefined>>[],
): readonly SettingIssue[] {
  const given = sources.map((source) => source[shardSetting]?.trim() ?? '').find((text) => text !== '')
  return given === undefined ? [] : [noShards(shardSetting, given, 'not set')]
}

/** Whether an issue is one of {@link shardsIn}. */
export function asksForShard({ setting }: SettingIssue): boolean {
  return setting === shardSetting
}

/** Whether a word of a command line is the flag of version 0.1 for one share of the cases. */
export function isShardFlag(word: string): boolean {
  return /^--shard(?:=|$)/.test(word)
}

/** The issue of a flag or a command that asks for shards; `word` as it may be shown. */
export function shardWord(word: string): SettingIssue {
  return noShards('the command line', word, 'a command line without it')
}

function noShards(setting: string, given: string, instead: string): SettingIssue {
  const expected = `${instead}: there are no shards any more, since a run waits for the target's rate rather than for the processor, so that N shards of one target take as long as one run`
  const hint =
    'to judge many targets, run the program once for each; compare sets their verdicts side by side'
  return issue(setting, { given, expected, hint })
}
