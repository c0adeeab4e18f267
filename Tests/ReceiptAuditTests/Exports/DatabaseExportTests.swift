import AppReceipt
import Foundation
import ReceiptForge
import ReceiptJSON
import SQLite
import TestSupport
import Testing

@testable import ReceiptAudit

/// SQL dumps and SQLite databases. Each program's form of one table gives the same answers as the table in
/// CSV.
@Suite(.serialized)
struct DatabaseExportTests {
    let workplace: Workplace
    let root: String

    init() throws {
        workplace = try Workplace()
        root = try workplace.write(try Forged.root(), to: "root.cer")
    }

    private static let der = Result { try Forged.receipt(ReceiptContent()) }
    private static let receipt = Result { Data(try der.get()).base64EncodedString() }

    /// A dump in which `R` is a receipt in base64, `H` in hexadecimal, and `B` the bytes of the receipt with MySQL's escapes.
    struct Dump: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        var options: [String] = []
        /// The id, subject and status of each record.
        let answers: [String]
        var status: Int32 = 0
        /// A part of the messages.
        var told: String?
    }

    private static let both = ["7 of it's genuine", "8 of back\\slash\ttab absent"]

    /// The forms as pg_dump 15, mariadb-dump 10.11 and sqlite3 3.40 write them.
    static let dumps = [
        Dump(
            testDescription: "COPY of pg_dump",
            text: """
                --
                -- PostgreSQL database dump
                --

                \\restrict abc

                SET client_encoding = 'UTF8';
                SELECT pg_catalog.set_config('search_path', '', false);
                CREATE FUNCTION public.f() RETURNS integer LANGUAGE plpgsql AS $$ begin return 1; -- a; 'b
                end $$;
                CREATE TABLE public.accounts (
                    id integer NOT NULL,
                    email text DEFAULT 'a;b'::text
                );
                COPY public.accounts (id, email) FROM stdin;
                1\ta;b
                \\.


                COPY public.purchases (id, subject, receipt_data) FROM stdin;
                7\tit's\tR
                8\tback\\\\slash\\ttab\t\\N
                \\.

                SELECT pg_catalog.setval('public.s', 1, false);
                --
                -- PostgreSQL database dump complete
                --

                \\unrestrict abc
                """, answers: both,
            told: "table public.purchases: receipts read from the column receipt_data "
                + "(override with --table, --receipt-field, --id-field, --subject-field)"),
        Dump(
            testDescription: "pg_dump --inserts, whose columns are in CREATE TABLE",
            text: #"""
                -- PostgreSQL database dump
                CREATE TABLE public."odd; name" (
                    id integer NOT NULL,
                    subject text,
                    receipt_data text,
                    CONSTRAINT positive CHECK ((id > 0)),
                    PRIMARY KEY (id)
                );
                INSERT INTO public."odd; name" OVERRIDING SYSTEM VALUE VALUES (7, 'it''s', 'R');
                INSERT INTO public."odd; name" VALUES (8, E'back\\slash\ttab', NULL);
                -- PostgreSQL database dump complete
                """#, answers: both),
        Dump(
            testDescription: "bytea",
            text:
                #"INSERT INTO t (id, subject, receipt) VALUES (7, 'it''s', '\xH'), (8, E'back\\slash\ttab', null)"#
                + ";\n",
            answers: both),
        Dump(
            testDescription:
                "mysqldump: several rows in a statement, escapes, conditional comments, a trigger",
            text: #"""
                /*M!999999\- enable the sandbox mode */ 
                -- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)
                /*!40101 SET NAMES utf8mb4 */;
                DROP TABLE IF EXISTS `purchases`;
                CREATE TABLE `purchases` (
                  `id` int(11) NOT NULL,
                  `subject` varchar(50) DEFAULT NULL COMMENT 'a \'quoted\', (comment',
                  `receipt_data` longtext DEFAULT NULL,
                  `uid` binary(3) DEFAULT NULL,
                  PRIMARY KEY (`id`),
                  KEY `k` (`subject`)
                ) ENGINE=InnoDB;
                LOCK TABLES `purchases` WRITE;
                INSERT INTO `purchases` VALUES
                (7,'it\'s','R',_binary '�\0\''),
                (8,'back\\slash\ttab',NULL,0xFF00);
                UNLOCK TABLES;
                DELIMITER ;;
                /*!50003 CREATE*/ /*!50003 trigger t before insert on a for each row begin insert into b values ('x;'); end */;;
                DELIMITER ;
                -- Dump completed on 2026-11-25 16:59:26
                """#, answers: both),
        Dump(
            testDescription: "bytes of mysqldump with and without --hex-blob",
            text: "INSERT INTO `t` (`id`,`subject`,`receipt`) VALUES (7,'it\\'s',_binary 'B'),"
                + "(8,'back\\\\slash\\ttab',NULL),(9,'s',0xH);\n", answers: both + ["9 of s genuine"]),
        Dump(
            testDescription: ".dump of sqlite3",
            text: #"""
                PRAGMA foreign_keys=OFF;
                BEGIN TRANSACTION;
                CREATE TABLE `purchases`(id integer primary key, subject text, twice integer as (id * 2), receipt blob, note);
                INSERT INTO purchases VALUES(7,'it''s',X'H',replace('a\nb','\n',char(10)));
                INSERT INTO purchases VALUES(8,'back\slash	tab',NULL,1.5e3);
                COMMIT;
                """#, answers: both),
        Dump(
            testDescription: "a binary id with and without --hex-blob",
            text: "INSERT INTO `t` (`id`,`subject`,`receipt`) VALUES (0x6162,0xff00,0xH),"
                + "(X'6364',X'FF0','R');\n",
            answers: ["ab of /wA= genuine", "cd of 0xFF0 genuine"]),
        Dump(
            testDescription: "text with line ends in a .dump of sqlite3",
            text: #"""
                PRAGMA foreign_keys=OFF;
                CREATE TABLE t(id text, subject text, receipt text);
                INSERT INTO t VALUES(replace(replace('a(\r\nb','\r',char(13)),'\n',char(10)),'x',replace('R','\n',char(10)));
                INSERT INTO t VALUES(unistr('c\u000ad\\'),'y',unistr('R'));
                INSERT INTO t VALUES('e','z',replace(replace('R','x',char(13)),'\n',hex(10)));
                INSERT INTO t VALUES('f','z','R');
                """#,
            answers: ["a(\r\nb of x genuine", "c\nd\\ of y genuine", "nil unreadable", "f of z genuine"],
            status: 2),
        Dump(
            testDescription: "two tables with receipts are both read",
            text:
                "INSERT INTO a (id, subject, r) VALUES (1, 's', 'R');\nINSERT INTO b (id, subject, x) VALUES (2, 's', 'R');\n",
            answers: ["1 of s genuine", "2 of s genuine"], told: "table b: receipts read from the column x"),
        Dump(
            testDescription: "each table has its own column of subjects",
            text: "INSERT INTO a (id, user_id, customer_id, receipt) VALUES (1, 'ann', 'shared', 'R');\n"
                + "INSERT INTO b (id, customer_id, receipt) VALUES (2, 'bob', 'R');\n",
            answers: ["1 of ann genuine", "2 of bob genuine"]),
        Dump(
            testDescription: "statements of one table with other columns",
            text: "INSERT INTO t (id, receipt) VALUES (1, 'R');\n"
                + "INSERT INTO t (id, user_id, receipt) VALUES (2, 'bob', 'R');\n"
                + "INSERT INTO t (id, receipt) VALUES (3, 'R');\n",
            answers: ["1 genuine", "2 of bob genuine", "3 genuine"]),
        Dump(
            testDescription: "tables of one name in two databases of mysqldump",
            text: #"""
                -- MySQL dump 10.13
                USE `one`;
                CREATE TABLE `t` (`id` int, `user_id` text, `receipt` text);
                INSERT INTO `t` VALUES (1,'ann','R');
                USE `two`;
                CREATE TABLE `t` (`id` int, `account_id` text, `receipt` text);
                INSERT INTO `t` VALUES (1,'bob','R');
                -- Dump completed on 2026-11-25 16:59:26
                """#,
            answers: ["1 of ann genuine", "1 of bob genuine"]),
        Dump(
            testDescription: "tables of one name in two databases of pg_dumpall",
            text: "\\connect one\nCOPY public.t (id, user_id, receipt) FROM stdin;\n1\tann\tR\n\\.\n"
                + "\\connect two\nCOPY public.t (id, account_id, receipt) FROM stdin;\n1\tbob\tR\n\\.\n",
            answers: ["1 of ann genuine", "1 of bob genuine"]),
        Dump(
            testDescription: "a table in backticks, as Python's iterdump writes it",
            text: "BEGIN TRANSACTION;\nCREATE TABLE `t` (`id` text, `subject` text, `receipt` text);\n"
                + "INSERT INTO \"t\" VALUES('1','corp\\ann','R');\nCOMMIT;\n",
            answers: ["1 of corp\\ann genuine"]),
        Dump(
            testDescription: "a table in single quotes, as Python's iterdump writes it",
            text: "BEGIN TRANSACTION;\nCREATE TABLE 't' ('id', 'subject', 'receipt');\n"
                + "INSERT INTO \"t\" VALUES('1','ann','R');\nCOMMIT;\n",
            answers: ["1 of ann genuine"]),
        Dump(
            testDescription: "an unreadable row after one without a receipt",
            text: "INSERT INTO a (id, receipt) VALUES (1, 'R');\n"
                + "INSERT INTO b (id, receipt_data) VALUES (1, NULL), (2, 'R', 'more');\n",
            answers: ["1 genuine", "nil unreadable"], status: 2),
        Dump(
            testDescription: "an unreadable row before one with a receipt",
            text: "INSERT INTO b (id, receipt_data) VALUES (1, NULL), (2, 'R', 'more'), (3, 'R');\n",
            answers: ["1 absent", "nil unreadable", "3 genuine"], status: 2),
        Dump(
            testDescription: "an unreadable row after one with other columns",
            text: "INSERT INTO b (id, receipt_data) VALUES (1, 'R');\nINSERT INTO b (id) VALUES (2);\n"
                + "INSERT INTO b (id, receipt_data) VALUES (3, 'R', 'more');\n",
            answers: ["1 genuine", "nil unreadable", "nil unreadable"], status: 2),
        Dump(
            testDescription: "an unreadable row of another table, after its rows",
            text: "INSERT INTO a (id, r) VALUES (1, 'R');\nINSERT INTO b SELECT 1;\n",
            answers: ["1 genuine", "nil unreadable"], status: 2),
        Dump(
            testDescription: "wrapped receipts in few rows of a table that is not read",
            // RR is a receipt in base64 twice.
            text: "INSERT INTO a (id, receipt) VALUES (1, 'R');\nINSERT INTO b (id, note) VALUES "
                + "(1, '\(String(repeating: "n", count: 80)).'), (2, 'RR');\n",
            answers: ["1 genuine"], status: 2,
            told: "receipts outside the tables and columns that were read (1, the first at b.note)"),
        Dump(
            testDescription: "ROLLBACK TO a savepoint of a transaction",
            text:
                "BEGIN;\nINSERT INTO a (id, r) VALUES (1, 'R');\nROLLBACK TRANSACTION TO SAVEPOINT s;\nCOMMIT;\n",
            answers: ["1 genuine"]),
        Dump(
            testDescription: "a dump without its end before a complete one",
            text: "-- MySQL dump 10.13\nINSERT INTO a (id, r) VALUES (1, 'R');\n"
                + "-- MySQL dump 10.13\nINSERT INTO a (id, r) VALUES (2, 'R');\n-- Dump completed\n",
            answers: ["1 genuine", "2 genuine", "nil unreadable"], status: 2,
            told: "the dump ends without the comment Dump completed"),
        Dump(
            testDescription: "two complete dumps",
            text: "--\n-- PostgreSQL database dump\n--\nINSERT INTO a (id, r) VALUES (1, 'R');\n"
                + "-- PostgreSQL database dump complete\n-- PostgreSQL database dump\n"
                + "INSERT INTO a (id, r) VALUES (2, 'R');\n-- PostgreSQL database dump complete\n",
            answers: ["1 genuine", "2 genuine"]),
        Dump(
            testDescription: "a dump of SQLite without its end before a complete one",
            text: "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nINSERT INTO a (id, r) VALUES (1, 'R');\n"
                + "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nINSERT INTO a (id, r) VALUES (2, 'R');\nCOMMIT;\n",
            answers: ["1 genuine", "2 genuine", "nil unreadable"], status: 2,
            told: "the dump ends without COMMIT"),
        Dump(
            testDescription: "a transaction of PostgreSQL that begins with two words",
            text:
                "BEGIN TRANSACTION ISOLATION LEVEL SERIALIZABLE;\nCREATE TABLE t (id int, names text[] DEFAULT ARRAY['x;']);\n"
                + "INSERT INTO a (id, r) VALUES (1, 'R');\nCOMMIT;\n",
            answers: ["1 genuine"]),
        Dump(
            testDescription: "a row of a table without receipts that cannot be read",
            text: "INSERT INTO a (id, r) VALUES (1, 'R');\n"
                + "INSERT INTO b (id, note) VALUES (1, 'x'), (2, 'y', 'z');\nINSERT INTO b (id, note) VALUES (3);\n",
            answers: ["1 genuine"],
            told: "2 rows of tables without receipts cannot be read, the first of b: 3 values, expected 2"),
        Dump(
            testDescription: "statements of one table, of which the first has no receipt",
            text:
                "INSERT INTO t (id, user_id) VALUES (1, 'ann');\nINSERT INTO t (id, user_id, r) VALUES (2, 'bob', 'R');\n"
                + "INSERT INTO t (id, user_id, r, n) VALUES (3, 'cyd', NULL, 'n');\n",
            options: ["--receipt-field", "r"], answers: ["2 of bob genuine", "3 of cyd absent"]),
        Dump(
            testDescription: "tables with the same columns and other columns of receipts, in turn",
            text:
                "INSERT INTO a (id, r, s) VALUES (1, 'R', NULL);\nINSERT INTO b (id, r, s) VALUES (2, NULL, 'R');\n"
                + "INSERT INTO a (id, r, s) VALUES (3, 'R', NULL);\nINSERT INTO b (id, r, s) VALUES (4, NULL, 'R');\n",
            answers: ["1 genuine", "2 genuine", "3 genuine", "4 genuine"]),
        Dump(
            testDescription: "columns of a database that has no name yet",
            text:
                "-- MySQL dump 10.13\nCREATE TABLE `p` (`id` int, `user_id` text, `receipt` text);\n-- Dump completed\n"
                + "USE `a`;\nINSERT INTO `p` VALUES (1,'ann','R');\n",
            answers: ["1 of ann genuine"]),
        Dump(
            testDescription: "columns and rows of one database in two parts",
            text: "USE `a`;\nCREATE TABLE `p` (`id` int, `user_id` text, `receipt` text);\n"
                + "USE `b`;\nCREATE TABLE `p` (`n` int);\nUSE `a`;\nINSERT INTO `p` VALUES (1,'ann','R');\n",
            answers: ["1 of ann genuine"]),
        Dump(
            testDescription: "one of two tables by its name",
            text: "INSERT INTO x.a (id, r) VALUES (1, 'R');\nINSERT INTO x.b (id, r) VALUES (2, 'R');\n",
            options: ["--table", "b"], answers: ["2 genuine"]),
        Dump(
            testDescription: "a table that is not there",
            text: "INSERT INTO a (id, r) VALUES (1, 'R');\n", options: ["--table", "c"], answers: [],
            status: 2,
            told: "no rows with receipts in the table c (--table), found a"),
        Dump(
            testDescription: "two columns with receipts give status 2",
            text: "INSERT INTO a (id, r, s) VALUES (1, 'R', 'R');\n", answers: ["1 genuine"], status: 2,
            told: "table a: receipts in s were not read"),
        Dump(
            testDescription: "receipts in a table that seemed to have none give status 2",
            text:
                "INSERT INTO a VALUES (NULL);\nINSERT INTO b (receipt) VALUES ('R');\nINSERT INTO a VALUES ('R');\n",
            answers: ["1 genuine"], status: 2,
            told: "receipts outside the tables and columns that were read (1, the first at a.1) were not read"
        ),
        Dump(
            testDescription: "receipts inside the JSON of a column give status 2",
            text: "INSERT INTO a (id, receipt) VALUES (1, 'R');\n"
                + "INSERT INTO b (id, payload) VALUES (2, '{\"receipt\":\"R\"}'), (3, NULL);\n",
            answers: ["1 genuine"], status: 2,
            told: "receipts outside the tables and columns that were read (1, the first at b.payload)"),
        Dump(
            testDescription: "receipts far inside the JSON of a column give status 2",
            text: "INSERT INTO a (id, receipt) VALUES (1, 'R');\n"
                + "INSERT INTO b (id, payload) VALUES (2, '{\"log\":\"\(String(repeating: "-", count: 5000))\","
                + "\"receipt\":\"R\"}');\n",
            answers: ["1 genuine"], status: 2,
            told: "receipts outside the tables and columns that were read (1, the first at b.payload)"),
        Dump(
            testDescription: "an expression cannot be read",
            text: "INSERT INTO a (id, receipt) VALUES (1, decode('R', 'base64')), (2, 'R');\n",
            answers: ["nil unreadable", "2 genuine"], status: 2),
        Dump(
            testDescription: "another number of values",
            text: "INSERT INTO a (id, receipt) VALUES (1, 'R'), (2), (3, 'R');\n",
            answers: ["1 genuine", "nil unreadable", "3 genuine"], status: 2, told: "1 values, expected 2"),
        Dump(
            testDescription: "a dump that ends in a literal",
            text: "INSERT INTO a (id, receipt) VALUES (1, 'R'), (2, 'MII",
            answers: ["1 genuine", "nil unreadable"], status: 2,
            told: "the dump ends in a statement"),
        Dump(
            testDescription: "a dump of pg_dump without its end",
            text: "-- PostgreSQL database dump\nINSERT INTO a (id, receipt) VALUES (1, 'R');\n",
            answers: ["1 genuine", "nil unreadable"], status: 2,
            told: "the dump ends without the comment PostgreSQL database dump complete"),
        Dump(
            testDescription: "a .dump of sqlite3 without its end",
            text: """
                PRAGMA foreign_keys=OFF;
                BEGIN TRANSACTION;
                INSERT INTO a (id, receipt) VALUES (1, 'R');

                """,
            answers: ["1 genuine", "nil unreadable"], status: 2, told: "the dump ends without COMMIT"),
        Dump(
            testDescription: "a .dump of a damaged SQLite database",
            text: """
                PRAGMA foreign_keys=OFF;
                BEGIN TRANSACTION;
                INSERT INTO a (id, receipt) VALUES (1, 'R');
                /****** CORRUPTION ERROR *******/
                ROLLBACK; -- due to errors
                """,
            answers: ["1 genuine", "nil unreadable"], status: 2, told: "ROLLBACK, which sqlite3 writes"),
        Dump(
            testDescription: "columns of SQLite that are keywords, in brackets or with dollar signs",
            text: #"""
                PRAGMA foreign_keys=OFF;
                BEGIN TRANSACTION;
                CREATE TABLE t(receipt, id text, key text, like, [odd, (name] text, a$b$c, subject text,
                    g text generated always as (lower(subject)) virtual, unique (key), check ([odd, (name] > 0));
                INSERT INTO t VALUES('R',7,'secret','l','o','d','it''s');
                INSERT INTO t VALUES(NULL,8,'secret','l','o','d','back\slash	tab');
                COMMIT;
                """#, answers: both),
        Dump(
            testDescription: "columns of PostgreSQL that are keywords or have arrays",
            text: #"""
                -- PostgreSQL database dump
                CREATE TABLE t (
                    key character varying(20),
                    index text,
                    exclude text,
                    a text[] DEFAULT ARRAY['x'::text, 'y'::text],
                    subject text,
                    g text GENERATED ALWAYS AS (lower(subject)) STORED,
                    receipt text,
                    id integer
                );
                INSERT INTO t VALUES ('k', 'i', 'e', '{x}', 'it''s', DEFAULT, 'R', 7);
                INSERT INTO t VALUES ('k', 'i', 'e', '{x}', 'it''s', 'a value', 'R', 7);
                INSERT INTO t VALUES ('k', 'i', 'e', '{x}', E'back\\slash\ttab', DEFAULT, NULL, 8);
                -- PostgreSQL database dump complete
                """#, answers: [both[0], "nil unreadable", both[1]], status: 2,
            told: "a value for the generated column g"),
        Dump(
            testDescription: "columns and indexes in a dump of an unknown program",
            text: """
                CREATE TABLE t (id int, KEY k (id), key varchar(20), KEY (id), index text, INDEX USING BTREE (id),
                    spatial, FULLTEXT KEY f (subject), KEY p (subject(3)), period text, PERIOD FOR s (a, b),
                    exclude enum('a', 'b'), EXCLUDE USING gist (c WITH &&), subject text, receipt text);
                INSERT INTO t VALUES (7, 'k', 'i', 's', 'p', 'e', 'it''s', 'R');
                """, answers: [both[0]]),
        Dump(
            testDescription: "a generated column, as Python's iterdump omits its values",
            text: """
                BEGIN TRANSACTION;
                CREATE TABLE t(id, subject, g text generated always as (lower(subject)) virtual, receipt);
                SAVEPOINT a;
                ROLLBACK TO a;
                INSERT INTO "t" VALUES(7,'it''s','R');
                COMMIT;
                """, answers: [both[0]]),
        Dump(
            testDescription: "columns that are not certain",
            text: """
                CREATE TABLE t (id int, LIKE s, receipt text);
                INSERT INTO t VALUES (1, 'R');
                INSERT INTO t (id, receipt) VALUES (2, 'R');
                """,
            answers: ["nil unreadable", "2 genuine"], status: 2,
            told: "the columns in CREATE TABLE cannot be read"),
        Dump(
            testDescription: "the body of a trigger of SQLite",
            text: """
                PRAGMA foreign_keys=OFF;
                BEGIN TRANSACTION;
                CREATE TRIGGER a AFTER UPDATE OF end ON t WHEN case new.end when 1 then 1 end
                begin insert into log values(case 1 when 2 then '; end;' end); -- ; end;
                insert into t(id, receipt) values('const','R'); end /* the end */;
                INSERT INTO t (id, receipt) VALUES (1, 'R');
                COMMIT;
                """, answers: ["1 genuine"]),
        Dump(
            testDescription: "the bodies of functions and rules of PostgreSQL",
            text: """
                -- PostgreSQL database dump
                CREATE FUNCTION f(x text) RETURNS void LANGUAGE sql
                    BEGIN ATOMIC
                 INSERT INTO log (a) VALUES (CASE WHEN (f.x = 'a'::text) THEN 1 ELSE 2 END);
                 INSERT INTO t (id, receipt) VALUES ('const'::text, 'R'::text);
                END;
                CREATE FUNCTION g() RETURNS integer LANGUAGE sql RETURN (1 + 2);
                INSERT INTO t (id, receipt) VALUES (1, 'R');
                CREATE PROCEDURE h() LANGUAGE sql BEGIN ATOMIC END;
                INSERT INTO t (id, receipt) VALUES (2, 'R');
                CREATE OR REPLACE RULE r AS ON INSERT TO v DO INSTEAD ( INSERT INTO log (a) VALUES (1);
                 INSERT INTO t (id, receipt) VALUES (new.id, new.receipt);
                );
                CREATE TRIGGER begin BEFORE INSERT ON begin FOR EACH ROW EXECUTE FUNCTION i();
                INSERT INTO t (id, receipt) VALUES (3, 'R');
                -- PostgreSQL database dump complete
                """, answers: ["1 genuine", "2 genuine", "3 genuine"]),
        Dump(
            testDescription: "a trigger without its end",
            text: """
                INSERT INTO t (id, receipt) VALUES (1, 'R');
                CREATE TRIGGER a BEFORE INSERT ON t FOR EACH ROW BEGIN INSERT INTO log VALUES (1);
                INSERT INTO t (id, receipt) VALUES (2, 'R');

                """,
            answers: ["1 genuine", "nil unreadable"], status: 2,
            told: "the end of CREATE TRIGGER is missing"),
        Dump(
            testDescription: "a nested body in a dump of an unknown program",
            text: """
                INSERT INTO t (id, receipt) VALUES (1, 'R');
                CREATE TRIGGER a BEFORE INSERT ON t FOR EACH ROW
                BEGIN IF x THEN BEGIN INSERT INTO t (id, receipt) VALUES (2, 'R'); END; END IF; END;

                """,
            answers: ["1 genuine", "nil unreadable"], status: 2, told: "a nested BEGIN without DELIMITER"),
        Dump(
            testDescription: "names in single quotes, as .recover of sqlite3 writes them",
            text: """
                .dbconfig defensive off
                BEGIN;
                PRAGMA writable_schema = on;
                CREATE TABLE 't'('id' integer, receipt text);
                INSERT OR IGNORE INTO 't'( 'id', 'receipt' ) VALUES( 1, 'R' );
                PRAGMA writable_schema = off;
                COMMIT;
                """, answers: ["1 genuine"]),
        Dump(
            testDescription: "no table with receipts",
            text: "INSERT INTO a (id, note) VALUES (1, 'x');\n", answers: [], status: 2,
            told: "no table has a column with receipts; use --table and --receipt-field, found a"),
    ]

    private static func text(_ dump: Dump) throws -> [UInt8] {
        let bytes = try der.get()
        let (receipt, digits) = (try receipt.get(), hexadecimal(bytes))
        let text = dump.text.replacing("'R'", with: "'\(receipt)'").replacing("\tR\n", with: "\t\(receipt)\n")
            .replacing("\"R\"", with: "\"\(receipt)\"")
            .replacing("'RR'", with: "'\(Data(receipt.utf8).base64EncodedString())'")
            .replacing("H'", with: digits + "'").replacing("0xH", with: "0x" + digits)
        var result: [UInt8] = []
        for part in text.split(separator: "_binary 'B'", omittingEmptySubsequences: false) {
            if !result.isEmpty {
                let escaped = bytes.flatMap { byte -> [UInt8] in
                    switch byte {
                    case 0: Array(#"\0"#.utf8)
                    case 0x0A: Array(#"\n"#.utf8)
                    case 0x0D: Array(#"\r"#.utf8)
                    case 0x1A: Array(#"\Z"#.utf8)
                    case 0x22, 0x27, 0x5C: [0x5C, byte]
                    default: [byte]
                    }
                }
                result += Array("_binary '".utf8) + escaped + [0x27]
            }
            result += Array(part.utf8)
        }
        return result
    }

    @Test("SQL dumps", arguments: dumps)
    func dump(_ dump: Dump) throws {
        let path = try workplace.write(try Self.text(dump), to: "dump.sql")
        let answer = try Tool.run(["audit", path, "--root", root] + dump.options)
        #expect(try Self.told(answer.output) == dump.answers)
        #expect(answer.status == dump.status)
        if let told = dump.told { #expect(answer.messages.contains(told)) }
    }

    /// Checks that a dump is recognized in a pipe, and in a file of another name.
    @Test func dumpsAreRecognized() throws {
        let dump = try #require(Self.dumps.first)
        let bytes = try Self.text(dump)
        let piped = try Tool.run(["audit", "-", "--root", root], stdin: bytes)
        #expect(try Self.told(piped.output) == dump.answers)
        let path = try workplace.write(bytes, to: "dump")
        #expect(try Self.told(try Tool.run(["audit", path, "--root", root]).output) == dump.answers)
    }

    /// Checks that every beginning of a dump ends the run with an answer, and never with success.
    @Test func truncatedDumpIsNotASuccess() throws {
        for dump in Self.dumps.prefix(6) {
            let whole = try Self.text(dump)
            for count in stride(from: 60, to: whole.count - 40, by: 173) {
                let path = try workplace.write(whole.prefix(count), to: "dump.sql")
                let audit = try Forged.audit([path])
                let counts = try audit.database(workplace.file("out.sqlite"))
                try FileManager.default.removeItem(atPath: workplace.file("out.sqlite"))
                #expect(counts.unreadable > 0 || counts.evaluated == 0)
            }
        }
    }

    @Test("archives of pg_dump are named with the command that converts them")
    func archive() throws {
        let path = try workplace.write(Array("PGDMP\u{1}\u{E}".utf8), to: "shop.dump")
        let answer = try Tool.run("audit", path, "--root", root)
        #expect(answer.status == 2)
        #expect(answer.messages.contains("use pg_restore --file=- \(path) | appreceipt audit -"))
        try workplace.write(Array("PGDMP\u{1}".utf8), to: "folder/toc.dat")
        let folder = try Tool.run("audit", workplace.file("folder"), "--root", root)
        #expect(folder.status == 2)
        #expect(folder.messages.contains("pg_restore"))
        var archive = Array("toc.dat".utf8) + [UInt8](repeating: 0, count: 512 - 7)
        archive += Array("PGDMP".utf8)
        let tar = try Tool.run("audit", try workplace.write(archive, to: "shop.tar"), "--root", root)
        #expect(tar.status == 2)
        #expect(tar.messages.contains("pg_restore"))
        let xml = "<?xml version=\"1.0\"?>\n<mysqldump xmlns:xsi=\"x\">\n"
        let refused = try Tool.run(
            "audit", try workplace.write(Array(xml.utf8), to: "shop.xml"), "--root", root)
        #expect(refused.status == 2)
        #expect(refused.messages.contains("XML of MySQL is not supported"))
    }

    // MARK: - SQLite

    private func makeDatabase(_ name: String, encoding: String = "UTF-8") throws -> String {
        let path = workplace.file(name)
        let database = try Connection(path: path)
        try database.execute(
            """
            PRAGMA encoding = '\(encoding)';
            CREATE TABLE accounts (id INTEGER PRIMARY KEY, email TEXT);
            INSERT INTO accounts VALUES (1, 'a');
            CREATE TABLE "odd ""name" (id INTEGER PRIMARY KEY, subject TEXT, "the receipt" TEXT,
                twice INTEGER GENERATED ALWAYS AS (id * 2));
            CREATE VIEW hidden AS SELECT 'x' AS receipt;
            CREATE TABLE raw (id REAL, receipt BLOB) STRICT;
            """)
        try database.prepare(
            #"INSERT INTO "odd ""name" VALUES (7, ?, ?)"#, "it's", try Self.receipt.get()
        ).execute()
        try database.prepare(#"INSERT INTO "odd ""name" VALUES (8, ?, NULL)"#, "back\\slash\ttab").execute()
        try database.prepare("INSERT INTO raw VALUES (1.5, ?)", Value.blob(try Self.der.get())).execute()
        return path
    }

    @Test("databases in both encodings", arguments: ["UTF-8", "UTF-16le"])
    func database(encoding: String) throws {
        let path = try makeDatabase("shop.db", encoding: encoding)
        let before = try Data(contentsOf: URL(filePath: path))
        let answer = try Tool.run("audit", path, "--root", root)
        #expect(try Self.told(answer.output) == Self.both + ["1.5 genuine"])
        #expect(answer.status == 0)
        #expect(answer.messages.contains(#"table odd "name: receipts read from the column the receipt"#))
        let one = try Tool.run("audit", path, "--root", root, "--table", "raw")
        #expect(try Self.told(one.output) == ["1.5 genuine"])
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: workplace.path).sorted() == [
                "root.cer", "shop.db",
            ])
    }

    /// Checks that the same rows have the same Merkle root in every form and in CSV.
    @Test func rootIsThatOfTheCSV() throws {
        let receipt = try Self.receipt.get()
        let csv = try workplace.write(Array("id,subject,receipt\n7,s,\(receipt)\n8,t,\n".utf8), to: "in.csv")
        let sql = try workplace.write(
            Array("INSERT INTO t (id, subject, receipt) VALUES (7, 's', '\(receipt)'), (8, 't', NULL);".utf8),
            to: "in.sql")
        let path = workplace.file("in.db")
        let database = try Connection(path: path)
        try database.execute(
            "CREATE TABLE t (id, subject, receipt); INSERT INTO t VALUES (7, 's', '\(receipt)'), (8, 't', NULL)"
        )
        let roots = try [csv, sql, path].map { try Forged.audit([$0]).database($0 + ".out").root }
        #expect(roots[0] != nil)
        #expect(Set(roots).count == 1)
        let replay = try Forged.audit([path]).replay(path + ".out", jobs: 1) { Issue.record("\($0)") }
        #expect(replay.holds)
    }

    /// Checks that changes in a write-ahead log are not overlooked.
    @Test func writeAheadLogIsRefused() throws {
        let (path, receipt) = (workplace.file("shop.db"), try Self.receipt.get())
        let database = try Connection(path: path)
        try database.execute(
            "PRAGMA journal_mode = WAL; CREATE TABLE t (receipt TEXT); INSERT INTO t VALUES ('\(receipt)')"
        )
        let answer = try Tool.run("audit", path, "--root", root)
        #expect(answer.status == 2)
        #expect(answer.output.isEmpty)
        #expect(answer.messages.contains("shop.db-wal: contains changes that are not in"))
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try Tool.run("audit", path, "--root", root).status == 0)
    }

    /// Checks that damaged and hostile databases end the run with an answer, and never with success.
    @Test func damagedDatabaseIsNotASuccess() throws {
        let path = try makeDatabase("shop.db")
        let whole = try workplace.read("shop.db")
        for count in stride(from: 100, to: whole.count - 1, by: 1777) {
            try workplace.write(whole.prefix(count), to: "cut.db")
            #expect(try Tool.run("audit", workplace.file("cut.db"), "--root", root).status == 2)
        }
        var random = SplitMix64(seed: 1)
        for number in 0..<40 {
            var bytes = whole
            for _ in 0..<8 {
                bytes[Int.random(in: 16..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            let changed = try workplace.write(bytes, to: "changed-\(number).db")
            let counts = try? Forged.audit([changed]).database(changed + ".out")
            #expect(counts?.genuine ?? 0 <= 2)
        }
        #expect(path.hasSuffix("shop.db"))
    }

    private static func told(_ lines: String) throws -> [String] {
        try lines.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            let refusal = (object["refusal"] as? [String: Any])?["code"] as? String
            let status = refusal ?? object["status"] as? String ?? ""
            let id = object["id"] as? String ?? (object["id"] as? NSNumber).map { "\($0)" } ?? "nil"
            let subject = (object["subject"] as? String).map { " of \($0)" } ?? ""
            return "\(id)\(subject) \(status)"
        }
    }
}
