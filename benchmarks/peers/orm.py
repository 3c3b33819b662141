"""The same read as ordinary FastAPI code: declarative models, a session for each request, pydantic responses."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI
from pydantic import BaseModel, ConfigDict
from sqlalchemy import ForeignKey, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, joinedload, mapped_column, relationship

from benchmarks.peers import CONNECTIONS, DATABASE_VARIABLE

engine = create_async_engine(
    os.environ[DATABASE_VARIABLE].replace("postgresql://", "postgresql+asyncpg://", 1),
    pool_size=CONNECTIONS,
    max_overflow=0,
)
sessions = async_sessionmaker(engine, expire_on_commit=False)


class Base(DeclarativeBase):
    pass


class Language(Base):
    __tablename__ = "languages"

    ref: Mapped[int] = mapped_column(primary_key=True)
    code: Mapped[str]
    name: Mapped[str]


class BrandLanguage(Base):
    __tablename__ = "brand_languages"

    brand_ref: Mapped[int] = mapped_column(primary_key=True)
    language_ref: Mapped[int] = mapped_column(ForeignKey("languages.ref"), primary_key=True)
    display_order: Mapped[int]
    language: Mapped[Language] = relationship()


class LanguageResponse(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    ref: int
    code: str
    name: str


class LanguagesResponse(BaseModel):
    languages: list[LanguageResponse]


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
    yield
    await engine.dispose()


async def session() -> AsyncIterator[AsyncSession]:
    async with sessions() as opened:
        yield opened


app = FastAPI(lifespan=lifespan)


@app.get("/brands/{brand_ref}/languages")
async def list_languages(brand_ref: int, opened: Annotated[AsyncSession, Depends(session)]) -> LanguagesResponse:
    found = await opened.scalars(
        select(BrandLanguage)
        .where(BrandLanguage.brand_ref == brand_ref)
        .options(joinedload(BrandLanguage.language, innerjoin=True))
        .order_by(BrandLanguage.display_order, BrandLanguage.language_ref)
    )
    return LanguagesResponse(languages=[LanguageResponse.model_validate(each.language) for each in found])
