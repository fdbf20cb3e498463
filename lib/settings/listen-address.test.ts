import { describe, expect, it } from 'vitest'
import { reachableWarnings, readListenAddress } from './listen-address.ts'

describe('where a command listens', () => {
  it.each(['0', '80', '65535'])('may be port %s', (port) => {
    expect(readListenAddress({ host: '::1', port })).toEqual({
      value: { host: '::1', port: Number(port) },
      issues: [],
    })
  })

  it('is told at once where it cannot be', () => {
    const { issues } = readListenAddress({ host: ' ', port: '65536' })

    expect(issues.map(({ setting }) => setting)).toEqual(['--port', '--host'])
  })

  it.each(['-1', '', '8o', '1e3', '0x50'])('is no port %j', (port) => {
    expect(readListenAddress({ host: 'localhost', port })).toMatchObject({
      value: { port: 0 },
      issues: [{ setting: '--port', given: port }],
    })
  })
})

describe('others on the network', () => {
  it.each(['127.0.0.1', '127.9.9.9', 'localhost', '::1'])('do not reach %s', (host) => {
    expect(reachableWarnings(host, 'it')).toEqual([])
  })

  const reachable = ['0.0.0.0', '::', '0', '192.168.1.7', '::ffff:0.0.0.0', 'staging']

  it.each([...reachable, 'localhost.example', '127.evil'])('may reach %s', (host) => {
    expect(reachableWarnings(host, 'it')).toEqual([
      `WARNING: with --host ${host} others on the network reach it`,
    ])
  })
})
