import { describe, expect, it } from 'vitest'
import { codeOf, reasonOf } from './file-trouble.ts'

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: open '/somewhere'`), { code })
}

describe('why a file could not be read or written', () => {
  it.each([
    ['EACCES', 'permission denied'],
    ['EPERM', 'permission denied'],
    ['EROFS', 'the file system is read-only'],
    ['EISDIR', 'it is a folder'],
    ['ENOTDIR', 'what should be its folder is a file'],
    ['ENOENT', 'its folder does not exist'],
    ['ENOSPC', 'the disk is full'],
    ['EMFILE', 'EMFILE'],
  ])('%s: %s', (code, reason) => {
    expect(codeOf(failure(code))).toBe(code)
    expect(reasonOf(failure(code))).toBe(reason)
  })

  it.each([[new Error('no code')], ['EACCES'], [{ code: 'EACCES' }], [null], [undefined]])(
    'is not known of %o',
    (error) => {
      expect(codeOf(error)).toBeNull()
      expect(reasonOf(error)).toBe('unknown trouble')
    },
  )
})
