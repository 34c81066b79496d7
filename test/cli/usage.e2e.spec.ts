import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Command } from 'commander'
import { makeProgram } from '../../src/cli/program.js'
import { carillon, inProcess, scratchFolder, spawned } from './spawnCarillon.js'

const nowhere = {
  out: () => undefined,
  err: () => undefined,
  status: () => undefined,
  redraw: () => undefined,
  fault: () => undefined,
  width: 80,
  tone: (_tone: string, text: string) => text,
}

describe('the command line', function () {
  const { folder, remove } = scratchFolder()
  after(remove)

  it('is a process that ends with the code of what it did, without colours where nobody watches', async () => {
    const [help, wrong] = await Promise.all([spawned(['agenda', '--help']), spawned(['agendum'])])
    expect(help).to.include({ code: 0, stderr: '' })
    expect(help.stdout).to.match(/Examples?:\n {2}\$ carillon /)
    expect(wrong).to.include({ code: 2, stdout: '' })
    expect(wrong.stderr).to.match(/^error\[usage\]: /)
    expect(`${help.stdout}${wrong.stderr}`).not.to.contain('\u001b')
  })

  it('answers with a document when it fails and JSON was asked for', async () => {
    const unknown = await inProcess(['agenda', '--json', '--store', join(folder, 'none')])
    expect(unknown.code).to.equal(1)
    expect(JSON.parse(unknown.stdout)).to.have.nested.property('error.code', 'store-not-found')
    expect(JSON.parse(unknown.stdout)).to.have.nested.property('error.explain', 'carillon explain store-not-found')
    expect(unknown.stderr).to.contain('error[store-not-found]: ')
    const wrong = await inProcess(['why', '--json'])
    expect([wrong.code, JSON.parse(wrong.stdout)]).to.have.nested.property('1.error.code', 'usage')
  })

  it('says in one line where an app cannot be read', async () => {
    const app = join(folder, 'broken')
    mkdirSync(app)
    symlinkSync(join(import.meta.dirname, '../../node_modules'), join(app, 'node_modules'), 'junction')
    const file = join(app, 'broken.ts')
    writeFileSync(file, 'const app = {{\n')
    const { code, stderr } = await inProcess(['run', file])
    expect(code).to.equal(1)
    expect(stderr).to.match(
      /^error\[app-not-loadable\]: .*broken\.ts:1:13: ERROR: [^\n]*\nWhat to do: carillon explain app-not-loadable/,
    )
  })

  it('shows help with an example for each verb there is, in a width that fits', async () => {
    const program = await makeProgram(nowhere)
    const chains = (command: Command, chain: readonly string[]): readonly (readonly string[])[] => [
      chain,
      ...command.commands.flatMap((each) => chains(each, [...chain, each.name()])),
    ]
    for (const chain of chains(program, [])) {
      const { code, stdout, stderr } = await inProcess([...chain, '--help'], 80)
      expect(code, chain.join(' ')).to.equal(0)
      expect(stdout, chain.join(' ')).to.match(/Examples?:\n {2}\$ carillon /)
      expect(stderr).to.equal('')
      const [text = ''] = stdout.split(/^Examples?:/m)
      for (const line of text.split('\n'))
        if (!line.startsWith('Usage: ')) expect(line, chain.join(' ')).to.have.length.at.most(80)
    }
  })

  it('completes every verb and every option in bash, and knows all of them in fish and zsh', async () => {
    const program = await makeProgram(nowhere)
    const [bash, zsh, fish] = await Promise.all(
      ['bash', 'zsh', 'fish'].map((shell) => inProcess(['completion', shell])),
    )
    const script = join(folder, 'completion.bash')
    writeFileSync(script, bash?.stdout ?? '')
    const all = (command: Command, chain: readonly string[]): readonly (readonly [readonly string[], string])[] => [
      ...command.options.filter(({ hidden }) => !hidden).map(({ long }) => [chain, long ?? ''] as const),
      ...command.commands.flatMap((each) => [[chain, each.name()] as const, ...all(each, [...chain, each.name()])]),
    ]
    const wanted = all(program, [])
    expect(wanted.length).to.be.greaterThan(200)
    const chains = [...new Set(wanted.map(([chain]) => chain.join(' ')))]
    const asked = chains.map(
      (chain) =>
        `COMP_WORDS=(carillon ${chain} ''); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMPREPLY=(); _carillon; echo "\${COMPREPLY[*]}"`,
    )
    const lines = execFileSync('bash', ['-c', [`source ${script}`, ...asked].join('\n')], { encoding: 'utf8' }).split(
      '\n',
    )
    for (const [chain, word] of wanted)
      expect(lines[chains.indexOf(chain.join(' '))]?.split(' '), `carillon ${chain.join(' ')}`).to.include(word)
    for (const [, word] of wanted) {
      expect(zsh?.stdout).to.contain(word)
      expect(fish?.stdout).to.contain(word.replace(/^--/, '-l '))
    }
  })

  it('answers what it does not understand with code 2 and the help to look at', async () => {
    const wrong = [['agendum'], ['agenda', '--limit', '0'], ['flow', 'kil']]
    const answers = await Promise.all(wrong.map((args) => carillon(args)))
    for (const { code, stdout, stderr } of answers) {
      expect(code).to.equal(2)
      expect(stdout).to.equal('')
      expect(stderr).to.match(/^error\[usage\]: .* Try: carillon.* --help\nWhat to do: carillon explain usage\n$/)
    }
  })

  it('refuses a folder without a store, and makes none', async () => {
    const asked = [['log', 'verify'], ['drain', 'start'], ['parties'], ['timeline']]
    const none = join(folder, 'none')
    const answers = await Promise.all([
      carillon(['status'], { env: { CARILLON_STORE: none } }),
      ...asked.map((args) => carillon([...args, '--store', none])),
    ])
    for (const { code, stderr } of answers) {
      expect(code).to.equal(1)
      expect(stderr).to.match(/^error\[store-not-found\]: There is no store in .*none/)
    }
  })

  it('says what it found where it looked for an app', async () => {
    const noApp = join(folder, 'noApp.mjs')
    const broken = join(folder, 'broken.mjs')
    writeFileSync(noApp, 'export const apps = []\n')
    writeFileSync(broken, 'throw new Error("no luck")\n')
    const [missing, empty, thrown] = await Promise.all(
      [join(folder, 'missing.ts'), noApp, broken].map((file) => carillon(['run', file, '--store', join(folder, 'x')])),
    )
    for (const ended of [missing, empty, thrown]) expect(ended?.code).to.equal(1)
    expect(missing?.stderr).to.match(/^error\[app-not-loadable\]: .*there is no such file/)
    expect(empty?.stderr).to.match(/^error\[app-not-loadable\]: .*It exports apps \(array\)/)
    expect(thrown?.stderr).to.match(/^error\[app-not-loadable\]: .*no luck\n {4}at .*broken\.mjs/)
  })

  it('stops at once at the second signal, whatever the app is still waiting for', async () => {
    const stubborn = join(import.meta.dirname, 'fixtures/stubborn.ts')
    const store = join(folder, 'stubborn')
    const { code, stderr } = await carillon(['run', stubborn, '--store', store])
    expect(stderr).to.match(/SIGTERM: stopping …\nStopped at once\./)
    expect(code).to.equal(128 + 15)
    expect((await carillon(['log', 'verify', '--store', store])).code).to.equal(0)
  })
})
