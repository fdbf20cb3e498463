import { describe, expect, test } from 'vitest'

import { isShardFlag } from './no-shards.ts'
import { apiKey, issuesOf, read, settingsOf, target, temporaryFolder, wrongSettings } from './testing/read.ts'

describe('RUN_SHARD', () => {
  test('is a mistake that says why there are no shards any more', async () => {
    expect(issuesOf(await read({ ...target, RUN_SHARD: '1/8' }))).toEqual([
      {
        setting: 'RUN_SHARD',
        given: '1/8',
        expected: expect.stringMatching(/^not set: there are no shards any more, since .*rate/),
        hint: expect.stringContaining('run the program once for each'),
      },
    ])
  })

  test('is one among the others, whatever it holds, and hides a credential', async () => {
    const result = await read({ ...target, RUN_SHARD: apiKey, RUN_SEED: 'x' })

    expect(wrongSettings(result)).toEqual(['RUN_SHARD', 'RUN_SEED'])
  })

  test('is one in the env file too, and said once', async () => {
    const cwd = temporaryFolder({ '.env': 'RUN_SHARD=2/8\n' })

    expect(issuesOf(await read(target, { cwd }))).toMatchObject([{ given: '2/8' }])
    expect(issuesOf(await read({ ...target, RUN_SHARD: '1/8' }, { cwd }))).toMatchObject([{ given: '1/8' }])
  })

  test.each(['', ' '])('is not given where it is %j', async (text) => {
    expect(settingsOf(await read({ ...target, RUN_SHARD: text })).run.profile).toBe('gate')
  })
})

test('--shard is recognised with and without its value, and no other flag for it', () => {
  expect(['--shard', '--shard=1/8', '--shards', '--share', 'shard'].map(isShardFlag)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})
