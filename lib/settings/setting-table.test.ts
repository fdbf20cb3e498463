import { expect, test } from 'vitest'

import { profiles } from './profiles.ts'
import { settingNamed, settingTable } from './setting-table.ts'

test('every name stands once, and every flag', () => {
  const names = settingTable.map(({ name }) => name)
  const flags = settingTable.flatMap(({ flag }) => (flag === null ? [] : [flag]))

  expect(new Set(names).size).toBe(names.length)
  expect(new Set(flags).size).toBe(flags.length)
})

test('a flag is the name without its prefix in kebab-case, but for --target-version', () => {
  for (const { name, flag } of settingTable) {
    if (flag === null || name === 'TARGET_VERSION') continue
    const expected = name
      .replace(/^(?:TARGET|FIXTURE|RUN)_/, '')
      .toLowerCase()
      .replaceAll('_', '-')

    expect(flag).toBe(expected)
  }
  expect(settingNamed('TARGET_VERSION')?.flag).toBe('target-version')
})

test('credentials, and what everybody uses, have no flag', () => {
  const withoutFlag = settingTable.filter(({ flag }) => flag === null)

  expect(withoutFlag.every(({ argument }) => argument === null)).toBe(true)
  expect(withoutFlag.filter(({ kind }) => kind !== 'credential').map(({ name }) => name)).toEqual([
    'HTTPS_PROXY',
    'NO_PROXY',
  ])
})

test('credentials and the proxy are the secrets', () => {
  for (const { name, secret } of settingTable) {
    expect(secret, name).toBe(/_(?:API|SECRET)_KEY$/.test(name) || name === 'HTTPS_PROXY')
  }
})

test('a flag takes an argument unless it is a truth value', () => {
  for (const { flag, argument, kind } of settingTable) {
    if (flag !== null) expect(argument === null).toBe(kind === 'boolean')
  }
})

test('about is one sentence', () => {
  for (const { about } of settingTable) expect(about).toMatch(/^[A-Za-z][^\n]*[^.]\.$/)
})

test('the choices of the profile are the profiles', () => {
  const expected = `one of ${Object.keys(profiles).join(', ')}`

  expect(settingNamed('RUN_PROFILE')).toMatchObject({ kind: 'choice', expected })
})
