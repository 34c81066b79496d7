/** What a key file promises: the key never lies on disk in the clear, and only its secret opens it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { CarillonError } from '../errors/CarillonError.js'
import { generateKeyPair } from '../identity/KeyPair.js'
import { readKeyFile, secretFileOf, writeKeyFile } from './KeyFile.js'

const codeOf = (action: () => unknown): string | undefined => {
  try {
    action()
    return undefined
  } catch (error) {
    return error instanceof CarillonError ? error.code : String(error)
  }
}

describe('A key file', function () {
  // A passphrase is made slow to guess, and so to test.
  let folder: string
  let file: string
  const key = generateKeyPair()
  /** The base64 body of the PEM, which must be nowhere. */
  const body = key.exportPrivate().split('\n')[1] ?? ''
  const saved = { ...process.env }

  beforeEach(() => {
    delete process.env['CARILLON_KEY_PASSPHRASE']
    delete process.env['CARILLON_KEY_PASSPHRASE_FILE']
    folder = mkdtempSync(join(tmpdir(), 'carillon-key-'))
    file = join(folder, 'node.key')
  })
  afterEach(() => {
    process.env = { ...saved }
    rmSync(folder, { recursive: true, force: true })
  })

  it('is sealed with a secret beside it, both for its owner alone, when there is no passphrase', () => {
    writeKeyFile(file, key)
    expect(readdirSync(folder).sort()).to.deep.equal(['node.key', 'node.secret'])
    for (const each of [file, secretFileOf(file)]) expect(statSync(each).mode & 0o777).to.equal(0o600)
    expect(body).to.have.length.greaterThan(40)
    expect(readFileSync(file, 'utf8')).not.to.contain(body)
    expect(readKeyFile(file).sign('x')).to.equal(key.sign('x'))
  })

  it('says what is missing when its secret is gone, and what is wrong when it was exchanged', () => {
    writeKeyFile(file, key)
    writeFileSync(secretFileOf(file), 'another\n')
    expect(codeOf(() => readKeyFile(file))).to.equal('key-passphrase-wrong')
    rmSync(secretFileOf(file))
    expect(codeOf(() => readKeyFile(file))).to.equal('key-locked')
  })

  it('is sealed with a passphrase where one is given, by option, variable or file', () => {
    writeKeyFile(file, key, { passphrase: 'correct horse' })
    expect(readdirSync(folder)).to.deep.equal(['node.key'])
    expect(codeOf(() => readKeyFile(file))).to.equal('key-locked')
    expect(codeOf(() => readKeyFile(file, { passphrase: 'wrong horse' }))).to.equal('key-passphrase-wrong')
    process.env['CARILLON_KEY_PASSPHRASE'] = 'correct horse'
    expect(readKeyFile(file).publicKey).to.equal(key.publicKey)
    delete process.env['CARILLON_KEY_PASSPHRASE']
    process.env['CARILLON_KEY_PASSPHRASE_FILE'] = join(folder, 'words')
    expect(codeOf(() => readKeyFile(file))).to.equal('key-locked')
    writeFileSync(join(folder, 'words'), 'correct horse\n')
    expect(readKeyFile(file).publicKey).to.equal(key.publicKey)
  })

  it('opens only as it was written: whatever is changed in it, it stays shut', () => {
    writeKeyFile(file, key)
    const written = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    const changes = {
      publicKey: generateKeyPair().publicKey,
      unlock: 'passphrase',
      sealed: 'AAAA',
      tag: 'AAAA',
      kdf: { ...(written['kdf'] as object), cost: 2048 },
      cipher: { name: 'aes-256-gcm', nonce: 'AAAAAAAAAAAAAAAA' },
    }
    for (const [member, value] of Object.entries(changes)) {
      writeFileSync(file, JSON.stringify({ ...written, [member]: value }))
      expect(
        codeOf(() => readKeyFile(file, { passphrase: readFileSync(secretFileOf(file), 'utf8').trim() })),
        member,
      ).to.equal('key-passphrase-wrong')
    }
  })

  it('is refused when it is something else, or asks for a cost without bounds', () => {
    writeKeyFile(file, key)
    const written = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    const texts = [
      '',
      '{}',
      'junk',
      '-----BEGIN PRIVATE KEY-----\njunk\n-----END PRIVATE KEY-----\n',
      JSON.stringify({ ...written, kdf: { ...(written['kdf'] as object), cost: 2 ** 30 } }),
      JSON.stringify({ ...written, kdf: { ...(written['kdf'] as object), cost: 1000 } }),
    ]
    for (const text of texts) {
      writeFileSync(file, text)
      expect(
        codeOf(() => readKeyFile(file)),
        text.slice(0, 40),
      ).to.equal('key-file-invalid')
    }
  })

  it('of an earlier version, plain PEM, is still read', () => {
    writeFileSync(file, key.exportPrivate())
    expect(readKeyFile(file).publicKey).to.equal(key.publicKey)
  })

  it('is never overwritten, and neither it nor an error about it shows the private half', () => {
    writeKeyFile(file, key)
    expect(codeOf(() => writeKeyFile(file, generateKeyPair()))).to.equal('key-file-invalid')
    let shown = inspect(readKeyFile(file), { depth: 9 })
    const secret = readFileSync(secretFileOf(file), 'utf8').trim()
    writeFileSync(secretFileOf(file), 'tell nobody')
    try {
      readKeyFile(file)
    } catch (error) {
      shown += inspect(error, { depth: 9 })
    }
    expect(shown).to.contain(key.publicKey).and.to.contain('key-passphrase-wrong')
    for (const hidden of [body, secret, 'tell nobody']) expect(shown).not.to.contain(hidden)
  })
})
