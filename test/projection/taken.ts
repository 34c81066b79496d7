/**
 * A projection into PostgreSQL that writes down each order that it takes in: one that was taken in twice stands there twice.
 */
import { definePostgresProjection } from 'carillon/projections'

export const takenIn = (url: string, schema: string) =>
  definePostgresProjection({
    ...{ name: 'shop/Taken', url, schema, types: ['TransactionRecorded'] },
    tables: ['CREATE TABLE taken (place serial, revision integer NOT NULL, id text NOT NULL)'],
    evolve: async (sql, { revision, id }) => {
      await sql('INSERT INTO taken (revision, id) VALUES ($1, $2)', [revision, id])
    },
  })
